-- What a database of version 4 held: that of version 3, and a row of every table that came with memory.
-- Written for the version 4 schema, and left as it is when the schema moves on.
INSERT INTO sessions VALUES (1, 'check-out', 'short', 'ru', 1772463600000, 1772464200000, '2026-03-02', 'Europe/Moscow', 1,
    'window', 'home', 'calm', '0.3.0', NULL, 'c0ffee', 17,
    '{"session":{"type":"check-out","format":"short","has_matching_checkin":false,"session_number_today":1},"user":{}}',
    NULL,
    '{"session_type":"check-out","extracted_attributes":{"stress_level":8,"session_result":"loss"},"session_summary":"Тяжёлый день."}',
    '{"stress":{"before":4,"after":8,"change":4}}', 0, 'partly', NULL, 8, NULL, 'loss');
INSERT INTO sessions VALUES (2, 'check-in', 'short', 'en', 1772517600000, NULL, '2026-03-03', 'Europe/Moscow', 1,
    'terminal', 'guide', 'calm', '0.3.0', NULL, 'c0ffee', 5,
    '{"session":{"type":"check-in","format":"short","has_matching_checkin":false,"session_number_today":1},"user":{}}',
    NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO turns VALUES (1, 1, 1, 1772463600000, NULL, NULL, NULL, NULL, NULL, NULL, 'Как прошло?', 'guide', 1, 1,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO turns VALUES (2, 1, 2, 1772463660000, 'была просадка', NULL, NULL, NULL, NULL, NULL, 'Слышу. Тяжёлый день.', 'home',
    90, 800, NULL, NULL, '{"labels":[]}', '{"score":4,"reasons":[]}', NULL, '[{"rule":"echo"}]', '{"dropped":[]}', 1);
INSERT INTO turns VALUES (3, 2, 1, 1772517660000, 'slept badly', NULL, NULL, NULL, NULL, NULL, '', 'home', NULL, NULL,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
INSERT INTO facts VALUES (1, '## Active facts', 1772431200000);
INSERT INTO triggers VALUES ('0b9f8f9e-6f0f-4f0e-8a3b-1c2d3e4f5a6b', 'пауза', 'две убыточные', '["pause"]', 1, 1772431200000);
INSERT INTO trigger_runs VALUES (1, '0b9f8f9e-6f0f-4f0e-8a3b-1c2d3e4f5a6b', 1, 1772463660000, '15 минут');
INSERT INTO notes VALUES (1, 1772463660000, 1, 'стоп после двух');
INSERT INTO reminders VALUES (1, 1772517600000, 'check-in', 1772431200000, NULL);
INSERT INTO knowledge_sources VALUES (1, 'note', 'user', 'риск', 'ru', '00', 1772431200000, 4, 0);
INSERT INTO knowledge_chunks VALUES (1, 1, 1, NULL, NULL, 'про риск', 'риск');
INSERT INTO prompt_versions VALUES (1, 'calm', '0.3.0', 'c0ffee', 'shipped', NULL, NULL, '{}', 1772431200000, NULL);
INSERT INTO prompt_state VALUES (1, 1);
INSERT INTO prompt_log VALUES (1, 1772431200000, 'activated', 'app', NULL, '0.3.0', NULL, NULL);
INSERT INTO banned_terms VALUES (1, 'нейросеть', 'нейросеть', NULL, 'user', 1772431200000);
INSERT INTO calendar VALUES (1, 'file:///calendar.ics', 1772431200000, x'42');
INSERT INTO recordings VALUES (1, 1772517660000, 2);
INSERT INTO chunks VALUES (1, 1, x'0700f8ff');
INSERT INTO ledger VALUES (1, 1772463660000, 'POST', 'http://127.0.0.1:1234/v1/chat/completions', '["turn"]', 2, x'7b7d', 200);
INSERT INTO baselines VALUES ('Наушники', '{"clips":4}');
INSERT INTO settings VALUES (1, '{"version":1,"language":"ru"}');
INSERT INTO experiences VALUES (1, 1772463660000, 1772463660000, 0, NULL, 0, 0, 'ru', 'check-out', 'drawdown', 1, 2,
    'была просадка', NULL, NULL);
INSERT INTO experience_sources VALUES (1, 1, 2, 1772463660000, 'drawdown', 4);
INSERT INTO memories VALUES (1, 'loss_poor_sleep', 'pattern', 'active', 0.4, 30, 1772463600000, 1772463600000, 0, 0, NULL,
    '{"kind":"loss_poor_sleep"}');
INSERT INTO memory_sources VALUES (1, 1, 1, NULL, 1772463600000);
INSERT INTO dismissed_keys VALUES ('loss_on_weekday:monday');
INSERT INTO lessons VALUES (1, 'ru', 'drawdown', NULL, 0, 0, 2, 1772463660000, 1772463660000, 0);
INSERT INTO lesson_sources VALUES (1, 1, 2, 1772463660000, 2, '["length"]');
INSERT INTO user_model VALUES (1, 0.61, 1, 4.0);
INSERT INTO topic_marks VALUES (1, 2, 'ru', 'drawdown', 1, 1772463660000);
INSERT INTO turn_index (rowid, stems) VALUES (2, 'просадк тяжел ден');
INSERT INTO imports VALUES (1, 1772524800000, 'mt5', 'report.html', 'ny+7', 'USD', 0);
INSERT INTO trades VALUES (1, '0123456789abcdef0123456789abcdef', '2026-03-02', 1772463660000, 'USD', '-20.70', 1,
    '{"key":"0123456789abcdef0123456789abcdef","symbol":"EURUSD","closed_at":"2026-03-02T15:01:00Z","gross":"-20.70","currency":"USD","line":1}');
INSERT INTO import_trades VALUES (1, 1);
