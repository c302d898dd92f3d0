#!/usr/bin/env bash
# Makes the recordings in tests/audio from the sentences below. The recordings are kept in the repository, so this
# is only run when a sentence changes.
#
# Needs: festival festvox-ru espeak-ng sox libsox-fmt-all ffmpeg
set -euo pipefail
cd "$(dirname "$0")/audio"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# 16 kHz mono FLAC without dither: the same sentences give the same bytes.
small_flac() { sox -D "$1" -r 16000 -c 1 -b 16 -C 8 --add-comment "" "$2" "${@:3}"; }

russian() {
	printf '%s\n' "$2" >"$work/text"
	text2wave -eval '(voice_msu_ru_nsh_clunits)' -o "$work/ru.wav" "$work/text"
	small_flac "$work/ru.wav" "$1.flac" pad 0.4 0.6 norm -3
}

english() {
	espeak-ng -v en-us -s 140 -w "$work/en.wav" "$2"
	small_flac "$work/en.wav" "$1.flac" pad 0.4 0.6 norm -3
}

# The wording was chosen by ear and by recogniser: each sentence is one that the base model writes down whole.
state_ru='Привет. Спал плохо. Сегодня мне немного тревожно после вчерашнего убытка. Но у меня есть план. Только две сделки, и в каждой будет стоп.'
readiness_ru='Моя готовность сегодня восемь из десяти.'
russian checkin_ru "$state_ru $readiness_ru"
russian checkin_ru_1 "$state_ru"
russian checkin_ru_2 "$readiness_ru"
russian checkout_ru 'Закрыл день в минус двести долларов. Торговал по плану, стопы не двигал. Я немного злюсь на себя, но спокойно отпускаю этот день.'

english checkin_en "Hello. I slept badly, and I feel a little nervous after yesterday's loss. But I have a plan. I will take two trades, with a stop on each of them. My readiness is eight out of ten."
english checkout_en 'The day is closed. I lost two hundred dollars today. I followed my plan and I kept my stops. I feel a bit angry, but I can let it go.'

sox -R -n -r 16000 -c 1 -b 16 "$work/noise.wav" synth 5 pinknoise gain -12
small_flac "$work/noise.wav" noise.flac
sox -D -n -r 16000 -c 1 -b 16 "$work/silence.wav" trim 0 5
small_flac "$work/silence.wav" silence.flac

# One short sentence in every other kind of file that the product reads, and one that it refuses by name.
encode() { ffmpeg -nostdin -loglevel error -y -i checkin_ru_2.flac -map_metadata -1 -fflags +bitexact -flags:a +bitexact "$@"; }
encode -ar 44100 -ac 2 -c:a libmp3lame -b:a 64k format.mp3
encode -ar 44100 -c:a libvorbis -q:a 2 format.ogg
encode -ar 48000 -c:a aac -b:a 48k format.m4a
encode -ar 48000 -c:a libopus -b:a 24k format_opus.ogg
