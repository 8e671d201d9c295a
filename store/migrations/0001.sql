-- Version 1: records and events. Never edited once released.
PRAGMA application_id = 1397903940;

-- One row: the position of the state, and what must never be used twice.
CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    event_seq INTEGER NOT NULL,
    term INTEGER NOT NULL
) STRICT;
INSERT INTO meta (one, epoch, revision, event_seq, term) VALUES (1, 1, 0, 0, 0);

-- Kinds: 1 model, 2 runtime, 3 host, 4 placement, 5 token, 6 answer.
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
CREATE INDEX answer_age ON record (rev, id) WHERE kind = 6;

CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    rev INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    who TEXT NOT NULL,
    what TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

-- For whoever looks with sqlite3: one view for each kind, and the history.
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
