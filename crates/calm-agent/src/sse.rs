//! Server-sent events out of bytes that are cut anywhere.
//!
//! Our own, because a reply of one endless line has to cost linear time: the published readers search their whole
//! buffer again with every piece. Only what chat servers use is read: `data` lines and empty ones.

/// Lines are put together as bytes, so a letter that is split over two pieces is whole again before it is read.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    /// The last byte was a carriage return: a line feed right after it ends no second line.
    after_return: bool,
    data: String,
    has_data: bool,
    begun: bool,
}

impl Events {
    /// Calls `event` with the data of every event that `bytes` completes.
    pub fn push(&mut self, bytes: &[u8], event: &mut dyn FnMut(&str)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                return;
            };
            self.line.extend_from_slice(&rest[..end]);
            self.after_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.end_line(event);
        }
    }

    /// What the server did not finish with an empty line is an event all the same.
    pub fn finish(&mut self, event: &mut dyn FnMut(&str)) {
        if !self.line.is_empty() {
            self.end_line(event);
        }
        self.dispatch(event);
    }

    fn end_line(&mut self, event: &mut dyn FnMut(&str)) {
        let bytes = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&bytes);
        let line = if std::mem::replace(&mut self.begun, true) { &line } else { line.trim_start_matches('\u{feff}') };
        if line.is_empty() {
            self.dispatch(event);
        } else if let Some(data) = line.strip_prefix("data:").or_else(|| (line == "data").then_some("")) {
            // Chat servers put a whole object on each line; some forget the empty line between two of them.
            if self.has_data && serde_json::from_str::<serde::de::IgnoredAny>(&self.data).is_ok() {
                self.dispatch(event);
            }
            if self.has_data {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            self.has_data = true;
        }
    }

    fn dispatch(&mut self, event: &mut dyn FnMut(&str)) {
        if std::mem::take(&mut self.has_data) {
            event(&self.data);
            self.data.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let (mut events, mut read) = (Events::default(), Vec::new());
        for piece in pieces {
            events.push(piece, &mut |data| read.push(data.to_owned()));
        }
        events.finish(&mut |data| read.push(data.to_owned()));
        read
    }

    #[rstest]
    #[case::usual("data: {\"a\":1}\n\ndata: [DONE]\n\n", &["{\"a\":1}", "[DONE]"])]
    #[case::windows("data: {}\r\n\r\ndata: 2\r\n\r\n", &["{}", "2"])]
    #[case::old_mac("data: {}\r\rdata: 2\r\r", &["{}", "2"])]
    #[case::no_space("data:{}\n\n", &["{}"])]
    #[case::comments(": keep-alive\n\n: x\ndata: {}\n: y\n\n", &["{}"])]
    #[case::other_fields("event: error\nid: 7\nretry: 1\ndata: {}\n\n", &["{}"])]
    #[case::two_lines("data: {\"a\":\ndata: 1}\n\n", &["{\"a\":\n1}"])]
    #[case::no_empty_line("data: {\"a\":1}\ndata: {\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"])]
    #[case::no_end("data: {}", &["{}"])]
    #[case::mark("\u{feff}data: {}\n\n", &["{}"])]
    #[case::nothing("\n\n\n", &[])]
    #[case::letters("data: тяжёлая 🙂\n\n", &["тяжёлая 🙂"])]
    fn every_way_to_cut_it_reads_the_same(#[case] stream: &str, #[case] expected: &[&str]) {
        assert_eq!(read(&[stream.as_bytes()]), expected);
        let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
        assert_eq!(read(&bytes), expected, "byte by byte");
        for cut in 0..stream.len() {
            let (left, right) = stream.as_bytes().split_at(cut);
            assert_eq!(read(&[left, right]), expected, "cut at {cut}");
        }
    }
}
