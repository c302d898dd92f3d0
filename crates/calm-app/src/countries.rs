//! Which country a time zone lies in, for the helplines.
//!
//! Only the countries that the helplines know, and only zones that lie in one of them alone:
//! elsewhere the emergency number is all that is certain. Names are those of the IANA data, older names included.

/// ISO 3166-1 alpha-2, lower case; empty where the zone does not tell.
pub fn country_of(zone: &str) -> &'static str {
    COUNTRIES.iter().find(|(_, zones)| zones.contains(&zone)).map_or("", |(country, _)| country)
}

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
