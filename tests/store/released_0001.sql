-- A database as version 1 saved it. Never edited.
PRAGMA application_id = 1397903940;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    event_seq INTEGER NOT NULL,
    term INTEGER NOT NULL
) STRICT;
INSERT INTO meta VALUES(1,1,3,3,2);
CREATE TABLE record (
    kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 6),
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    generation_epoch INTEGER NOT NULL,
    generation_rev INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT;
INSERT INTO record VALUES(1,'wan22','declared',0,0,1700000000000,1,X'0801');
INSERT INTO record VALUES(4,'wan-prod','placed',1,2,1700000001000,2,X'0a0377616e');
INSERT INTO record VALUES(6,'key-1','',1,2,1700000001000,2,X'');
INSERT INTO record VALUES(3,'host-1','cordoned',0,0,1700000002000,3,X'00ff');
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    rev INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
INSERT INTO event VALUES(1,1,1700000000000,'uid 0','apply','wan22','model');
INSERT INTO event VALUES(2,2,1700000001000,'uid 0','place','wan-prod','');
INSERT INTO event VALUES(3,3,1700000002000,'uid 0','cordon','host-1','fan fails');
CREATE INDEX answer_age ON record (rev, id) WHERE kind = 6;
CREATE VIEW legible AS
    SELECT kind, id AS name, state,
        CASE generation_rev WHEN 0 THEN ''
            ELSE generation_epoch || '.' || generation_rev END AS generation,
        rev AS revision,
        strftime('%Y-%m-%dT%H:%M:%SZ', time_ms / 1000, 'unixepoch') AS time,
        length(body) AS body_bytes
    FROM record;
CREATE VIEW model AS
    SELECT name, state, revision, time, body_bytes FROM legible WHERE kind = 1;
CREATE VIEW runtime AS
    SELECT name, state, revision, time, body_bytes FROM legible WHERE kind = 2;
CREATE VIEW host AS
    SELECT name, state, revision, time, body_bytes FROM legible WHERE kind = 3;
CREATE VIEW placement AS
    SELECT name, state, generation, revision, time, body_bytes
    FROM legible WHERE kind = 4;
CREATE VIEW token AS
    SELECT name, state, revision, time, body_bytes FROM legible WHERE kind = 5;
CREATE VIEW answer AS
    SELECT name, state, generation, revision, time, body_bytes
    FROM legible WHERE kind = 6;
CREATE VIEW history AS
    SELECT seq, rev AS revision,
        strftime('%Y-%m-%dT%H:%M:%SZ', time_ms / 1000, 'unixepoch') AS time,
        who, what, subject, detail
    FROM event ORDER BY seq DESC;
COMMIT;
