-- What a database of version 1 held: a pair of sessions, one that was left open, and the rest of the house.
-- Written for the version 1 schema, and left as it is when the schema moves on.
INSERT INTO sessions VALUES (1, 'check-in', 'short', 'ru', 1772431200000, 1772431440000, '2026-03-02', 'Europe/Moscow', 1,
    'tray', 'guide', 'calm', '0.1.0', NULL, 'c0ffee', -1,
    '{"session":{"type":"check-in","format":"short","has_matching_checkin":false,"session_number_today":1},"user":{"name":"Светлана"}}',
    NULL,
    '{"session_type":"check-in","extracted_attributes":{"trading_readiness":7,"stress_level":4,"planned_approach":"две сделки"},"session_summary":"Спокойное утро."}',
    '{}', 0, 'yes', 7, 4, NULL, NULL);
INSERT INTO sessions VALUES (2, 'check-out', 'medium', 'ru', 1772463600000, 1772464200000, '2026-03-02', 'Europe/Moscow', 2,
    'window', 'guide', 'calm', '0.1.0', 'a', 'c0ffee', 17,
    '{"session":{"type":"check-out","format":"medium","has_matching_checkin":true,"session_number_today":2},"user":{}}',
    1,
    '{"session_type":"check-out","extracted_attributes":{"stress_level":8,"session_result":"loss"},"risk_flags":{"needs_attention":true,"evidence":{"needs_attention":"взял в долг"}},"session_summary":"Тяжёлый день."}',
    '{"stress":{"before":4,"after":8,"change":4},"readiness_and_result":{"readiness":7,"result":"loss"}}',
    1, 'partly', NULL, 8, NULL, 'loss');
INSERT INTO sessions VALUES (3, 'check-in', 'unlimited', 'en', 1772517600000, NULL, '2026-03-03', 'Europe/Moscow', 1,
    'terminal', 'guide', 'calm', '0.1.0', NULL, 'c0ffee', 5,
    '{"session":{"type":"check-in","format":"unlimited","has_matching_checkin":false,"session_number_today":1},"user":{}}',
    NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO turns VALUES (1, 1, 1, 1772431200000, NULL, NULL, NULL, NULL, NULL, NULL, 'Доброе утро.', 'guide', 1, 1,
    NULL, NULL, NULL, NULL, NULL);
INSERT INTO turns VALUES (2, 1, 2, 1772431260000, 'готова на семь',
    '{"stress_level":4,"energy_level":6,"primary_emotion":"neutral","confidence":0.5,"calibrating":false}',
    '{"arousal":0.4}', 4.25, 470, 23, 'Слышу вас.', 'guide', 1, 2,
    '{"tool":"suggest_practice","arguments":{"practice_type":"breathing","reason":"stress","urgency":"immediate"}}',
    '{"success":true}', '{"labels":[]}', '{"score":5,"reasons":[]}', NULL);
INSERT INTO turns VALUES (3, 2, 1, 1772463600000, 'была просадка', NULL, NULL, NULL, NULL, NULL, 'Купи ещё.', 'local', 90, 800,
    NULL, NULL, NULL, '{"score":1,"reasons":["boundary"]}', '[{"rule":"advice","words":"Купи"}]');
INSERT INTO recordings VALUES (1, 1772517660000, 3);
INSERT INTO chunks VALUES (1, 1, x'0700f8ff');
INSERT INTO ledger VALUES (1, 1772431260000, 'POST', 'http://127.0.0.1:1234/v1/chat/completions', '["turn"]', 2, x'7b7d', 200);
INSERT INTO baselines VALUES ('Наушники', '{"clips":4}');
INSERT INTO settings VALUES (1, '{"version":1,"language":"ru"}');
