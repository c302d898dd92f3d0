//! Which country a place or a time zone lies in, for the helplines.
//!
//! Only the countries that the helplines know, and only zones that lie in one of them alone:
//! elsewhere the emergency number is all that is certain. Names of zones are those of the IANA data, older names included.

/// ISO 3166-1 alpha-2, lower case; empty where the zone does not tell.
pub fn country_of(zone: &str) -> &'static str {
    COUNTRIES.iter().find(|(_, zones)| zones.contains(&zone)).map_or("", |(country, _)| country)
}

/// The country that the user's own words for a place name: by itself, by a large city, or by its code at the end.
///
/// Where they name two, none is certain.
pub fn country_in(place: &str) -> Option<&'static str> {
    let code = place.rsplit(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let code = code.filter(|word| word.chars().all(|c| c.is_ascii_uppercase())).map(str::to_lowercase);
    let place = place.to_lowercase().replace('ё', "е");
    let words: Vec<&str> = place.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let named = |name: &str| {
        let name: Vec<&str> = name.split(' ').collect();
        words.windows(name.len()).any(|window| window == name)
    };
    let mut found =
        PLACES.iter().filter(|(_, names)| names.iter().any(|name| named(name))).map(|(country, _)| *country);
    let by_code = || PLACES.iter().map(|(country, _)| *country).find(|country| code.as_deref() == Some(*country));
    match (found.next(), found.next()) {
        (Some(country), None) => Some(country),
        (None, _) => by_code(),
        _ => None,
    }
}

/// Names as people write them, in Russian also in the case that follows "в".
#[rustfmt::skip]
const PLACES: &[(&str, &[&str])] = &[
    ("ru", &["russia", "russian federation", "moscow", "st petersburg", "saint petersburg", "novosibirsk",
        "yekaterinburg", "kazan", "россия", "россии", "рф", "москва", "москве", "питер", "питере", "спб",
        "санкт петербург", "санкт петербурге", "новосибирск", "новосибирске", "екатеринбург", "екатеринбурге",
        "казань", "казани", "краснодар", "краснодаре", "сочи", "самара", "самаре", "уфа", "уфе", "пермь", "перми"]),
    ("by", &["belarus", "minsk", "беларусь", "беларуси", "белоруссия", "белоруссии", "рб", "минск", "минске", "гомель", "гомеле"]),
    ("kz", &["kazakhstan", "almaty", "astana", "казахстан", "казахстане", "алматы", "алма ата", "астана", "астане"]),
    ("ua", &["ukraine", "kyiv", "kiev", "kharkiv", "odesa", "odessa", "lviv", "украина", "украине", "киев", "киеве",
        "харьков", "харькове", "одесса", "одессе", "львов", "львове"]),
    ("am", &["armenia", "yerevan", "армения", "армении", "ереван", "ереване"]),
    // "Georgia" alone may as well be the state.
    ("ge", &["tbilisi", "batumi", "грузия", "грузии", "тбилиси", "батуми"]),
    ("kg", &["kyrgyzstan", "bishkek", "киргизия", "киргизии", "кыргызстан", "кыргызстане", "бишкек", "бишкеке"]),
    ("uz", &["uzbekistan", "tashkent", "узбекистан", "узбекистане", "ташкент", "ташкенте"]),
    ("md", &["moldova", "chisinau", "молдова", "молдове", "молдавия", "молдавии", "кишинев", "кишиневе"]),
    ("az", &["azerbaijan", "baku", "азербайджан", "азербайджане", "баку"]),
    ("lv", &["latvia", "riga", "латвия", "латвии", "рига", "риге"]),
    ("lt", &["lithuania", "vilnius", "литва", "литве", "вильнюс", "вильнюсе"]),
    ("ee", &["estonia", "tallinn", "эстония", "эстонии", "таллин", "таллине", "таллинн", "таллинне"]),
    ("il", &["israel", "tel aviv", "jerusalem", "haifa", "израиль", "израиле", "тель авив", "тель авиве", "хайфа", "хайфе"]),
    ("de", &["germany", "deutschland", "berlin", "munich", "hamburg", "frankfurt", "германия", "германии", "берлин",
        "берлине", "мюнхен", "мюнхене", "гамбург", "гамбурге", "франкфурт", "франкфурте"]),
    ("cy", &["cyprus", "limassol", "nicosia", "кипр", "кипре", "лимассол", "лимассоле", "никосия", "никосии"]),
    ("rs", &["serbia", "belgrade", "novi sad", "сербия", "сербии", "белград", "белграде"]),
    ("tr", &["turkey", "turkiye", "istanbul", "antalya", "ankara", "турция", "турции", "стамбул", "стамбуле",
        "анталья", "анталье", "анкара", "анкаре"]),
    ("ae", &["uae", "united arab emirates", "dubai", "abu dhabi", "оаэ", "эмираты", "эмиратах", "дубай", "дубае",
        "абу даби"]),
    ("th", &["thailand", "bangkok", "phuket", "таиланд", "таиланде", "тайланд", "тайланде", "бангкок", "бангкоке",
        "пхукет", "пхукете"]),
    ("us", &["usa", "united states", "america", "new york", "chicago", "los angeles", "miami", "texas", "california",
        "florida", "сша", "америка", "америке", "нью йорк", "нью йорке", "майами"]),
    ("gb", &["uk", "united kingdom", "great britain", "britain", "england", "scotland", "wales", "northern ireland",
        "manchester", "edinburgh", "великобритания", "великобритании", "англия", "англии", "лондон", "лондоне"]),
    ("ie", &["republic of ireland", "dublin", "ирландия", "ирландии", "дублин", "дублине"]),
    ("ca", &["canada", "toronto", "vancouver", "montreal", "канада", "канаде", "торонто", "ванкувер", "ванкувере"]),
    ("au", &["australia", "sydney", "melbourne", "brisbane", "австралия", "австралии", "сидней", "сиднее", "мельбурн",
        "мельбурне"]),
    ("nz", &["new zealand", "auckland", "новая зеландия", "новой зеландии", "окленд", "окленде"]),
    ("in", &["india", "mumbai", "delhi", "bangalore", "bengaluru", "индия", "индии", "мумбаи", "дели", "гоа"]),
    ("za", &["south africa", "johannesburg", "cape town", "юар", "кейптаун", "кейптауне"]),
    ("sg", &["singapore", "сингапур", "сингапуре"]),
];

#[rustfmt::skip]
const COUNTRIES: &[(&str, &[&str])] = &[
    ("ru", &["Asia/Anadyr", "Asia/Barnaul", "Asia/Chita", "Asia/Irkutsk", "Asia/Kamchatka", "Asia/Khandyga",
        "Asia/Krasnoyarsk", "Asia/Magadan", "Asia/Novokuznetsk", "Asia/Novosibirsk", "Asia/Omsk", "Asia/Sakhalin",
        "Asia/Srednekolymsk", "Asia/Tomsk", "Asia/Ust-Nera", "Asia/Vladivostok", "Asia/Yakutsk", "Asia/Yekaterinburg",
        "Europe/Astrakhan", "Europe/Kaliningrad", "Europe/Kirov", "Europe/Moscow", "Europe/Samara", "Europe/Saratov",
        "Europe/Ulyanovsk", "Europe/Volgograd", "W-SU"]),
    ("by", &["Europe/Minsk"]),
    ("kz", &["Asia/Almaty", "Asia/Aqtau", "Asia/Aqtobe", "Asia/Atyrau", "Asia/Oral", "Asia/Qostanay", "Asia/Qyzylorda"]),
    ("ua", &["Europe/Kiev", "Europe/Kyiv", "Europe/Uzhgorod", "Europe/Zaporozhye"]),
    ("am", &["Asia/Yerevan"]),
    ("ge", &["Asia/Tbilisi"]),
    ("kg", &["Asia/Bishkek"]),
    ("uz", &["Asia/Samarkand", "Asia/Tashkent"]),
    ("md", &["Europe/Chisinau", "Europe/Tiraspol"]),
    ("az", &["Asia/Baku"]),
    ("lv", &["Europe/Riga"]),
    ("lt", &["Europe/Vilnius"]),
    ("ee", &["Europe/Tallinn"]),
    ("il", &["Asia/Jerusalem", "Asia/Tel_Aviv", "Israel"]),
    ("de", &["Europe/Berlin", "Europe/Busingen"]),
    ("cy", &["Asia/Famagusta", "Asia/Nicosia", "Europe/Nicosia"]),
    ("rs", &["Europe/Belgrade"]),
    ("tr", &["Asia/Istanbul", "Europe/Istanbul", "Turkey"]),
    ("ae", &["Asia/Dubai"]),
    ("th", &["Asia/Bangkok"]),
    ("us", &["America/Adak", "America/Anchorage", "America/Atka", "America/Boise", "America/Chicago",
        "America/Denver", "America/Detroit", "America/Fort_Wayne", "America/Indiana/Indianapolis",
        "America/Indiana/Knox", "America/Indiana/Marengo", "America/Indiana/Petersburg", "America/Indiana/Tell_City",
        "America/Indiana/Vevay", "America/Indiana/Vincennes", "America/Indiana/Winamac", "America/Indianapolis",
        "America/Juneau", "America/Kentucky/Louisville", "America/Kentucky/Monticello", "America/Knox_IN",
        "America/Los_Angeles", "America/Louisville", "America/Menominee", "America/Metlakatla", "America/New_York",
        "America/Nome", "America/North_Dakota/Beulah", "America/North_Dakota/Center",
        "America/North_Dakota/New_Salem", "America/Phoenix", "America/Shiprock", "America/Sitka", "America/Yakutat",
        "Pacific/Honolulu", "Pacific/Johnston", "US/Alaska", "US/Aleutian", "US/Arizona", "US/Central",
        "US/East-Indiana", "US/Eastern", "US/Hawaii", "US/Indiana-Starke", "US/Michigan", "US/Mountain", "US/Pacific"]),
    ("gb", &["Europe/Belfast", "Europe/London", "GB", "GB-Eire"]),
    ("ie", &["Eire", "Europe/Dublin"]),
    ("ca", &["America/Atikokan", "America/Blanc-Sablon", "America/Cambridge_Bay", "America/Creston", "America/Dawson",
        "America/Dawson_Creek", "America/Edmonton", "America/Fort_Nelson", "America/Glace_Bay", "America/Goose_Bay",
        "America/Halifax", "America/Inuvik", "America/Iqaluit", "America/Moncton", "America/Montreal",
        "America/Nipigon", "America/Pangnirtung", "America/Rainy_River", "America/Rankin_Inlet", "America/Regina",
        "America/Resolute", "America/St_Johns", "America/Swift_Current", "America/Thunder_Bay", "America/Toronto",
        "America/Vancouver", "America/Whitehorse", "America/Winnipeg", "America/Yellowknife", "Canada/Atlantic",
        "Canada/Central", "Canada/Eastern", "Canada/Mountain", "Canada/Newfoundland", "Canada/Pacific",
        "Canada/Saskatchewan", "Canada/Yukon"]),
    ("au", &["Antarctica/Macquarie", "Australia/ACT", "Australia/Adelaide", "Australia/Brisbane",
        "Australia/Broken_Hill", "Australia/Canberra", "Australia/Currie", "Australia/Darwin", "Australia/Eucla",
        "Australia/Hobart", "Australia/LHI", "Australia/Lindeman", "Australia/Lord_Howe", "Australia/Melbourne",
        "Australia/NSW", "Australia/North", "Australia/Perth", "Australia/Queensland", "Australia/South",
        "Australia/Sydney", "Australia/Tasmania", "Australia/Victoria", "Australia/West", "Australia/Yancowinna"]),
    ("nz", &["NZ", "NZ-CHAT", "Pacific/Auckland", "Pacific/Chatham"]),
    ("in", &["Asia/Calcutta", "Asia/Kolkata"]),
    ("za", &["Africa/Johannesburg"]),
    ("sg", &["Asia/Singapore", "Singapore"]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::collections::BTreeSet;

    #[rstest]
    #[case("Asia/Almaty", "kz")]
    #[case("Asia/Tbilisi", "ge")]
    #[case("Europe/Kiev", "ua")]
    #[case("Europe/Kyiv", "ua")]
    #[case("Asia/Calcutta", "in")]
    #[case("US/Eastern", "us")]
    #[case("Asia/Vladivostok", "ru")]
    #[case::two_countries_claim_it("Europe/Simferopol", "")]
    #[case::another_country("Europe/Paris", "")]
    #[case::no_place("Etc/UTC", "")]
    fn a_zone_tells_its_country(#[case] zone: &str, #[case] country: &str) {
        assert_eq!(country_of(zone), country);
    }

    #[rstest]
    #[case("Москва", Some("ru"))]
    #[case("живу в Тбилиси", Some("ge"))]
    #[case("Berlin, Germany", Some("de"))]
    #[case("Санкт-Петербург", Some("ru"))]
    #[case("Austin, US", Some("us"))]
    #[case("Belfast, Northern Ireland", Some("gb"))]
    #[case("Indiana", None)]
    #[case::perhaps_the_state("Georgia", None)]
    #[case::a_word_and_no_code("the place I live in", None)]
    #[case::unknown("Paris", None)]
    #[case::two_of_them("то Москва, то Кипр", None)]
    #[case::empty("", None)]
    fn a_place_names_its_country(#[case] place: &str, #[case] country: Option<&str>) {
        assert_eq!(country_in(place), country);
    }

    #[test]
    fn places_and_zones_know_the_same_countries() {
        let of = |list: &[(&'static str, &[&str])]| list.iter().map(|(country, _)| *country).collect::<BTreeSet<_>>();
        assert_eq!(of(PLACES), of(COUNTRIES));
    }

    #[test]
    fn no_zone_lies_in_two_countries() {
        let mut seen = BTreeSet::new();
        for zone in COUNTRIES.iter().flat_map(|(_, zones)| *zones) {
            assert!(seen.insert(zone), "{zone}");
        }
    }

    #[test]
    fn every_country_here_has_an_emergency_number_of_its_own() {
        let helplines = calm_prompts::PromptSet::shipped().helplines().expect("the shipped helplines");
        for (country, _) in COUNTRIES {
            let known = helplines.for_country(country);
            assert!(known.iter().any(|line| line.kind == calm_prompts::HelplineKind::Emergency), "{country}");
        }
    }
}
