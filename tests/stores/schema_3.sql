PRAGMA application_id = 1885957731;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE answers (
    answer_id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    level TEXT NOT NULL,
    question TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "answers" VALUES('ans_01M8PWSN5BPB4DW1DGX9TBBD47','2026-11-30T18:52:08Z','public','How long are files kept?','ANSWERED','{"schema_version": "1.0", "offset_unit": "codepoint", "id": "ans_01M8PWSN5BPB4DW1DGX9TBBD47", "conversation_id": null, "previous_id": null, "first_id": 1, "created_at": "2026-11-30T18:52:08Z", "question": "How long are files kept?", "language": "en", "text": "Your sources say:\n\nFiles are kept for 30 days [1].", "answer": "Your sources say:\n\nFiles are kept for 30 days [c-1].", "plain": "Your sources say:\n\nFiles are kept for 30 days.", "citations": [{"id": "c-1", "n": 1, "doc_id": "limits", "chunk_id": "limits-chunk-0", "source": "Limits", "open_url": null, "title": "Limits", "section": "Limits", "page": null, "kind": null, "format": "text", "published_date": null, "version": null, "document_status": "current", "licence": null, "document_hash": "91f8bd8fc7fa06f003164924832060fdd197e4a034bbb6154e9da69e85c65f1a", "language": "en", "score": 0.6304, "score_kind": "evidence", "quote": "Files are kept for 30 days.", "quote_truncated": false, "quote_full": "Files are kept for 30 days.", "quote_translation": null, "prefix": "s\n\nUploads may be up to 25 MB.\n\n", "suffix": "", "spans": [{"chunk_id": "limits-chunk-0", "start": 39, "end": 66, "doc_start": 39, "doc_end": 66, "boxes": []}], "status": "verified", "quote_match": "exact", "match_score": 1.0, "differences": [], "occurrences": 1, "suggested_chunk_id": null, "stale": false, "address": null, "reason": "Quote found word for word."}], "sentences": [{"index": 0, "start": 0, "end": 17, "text": "Your sources say:", "factual": false, "citations": [], "pointers": [], "support": "unchecked", "support_score": 0.0, "method": "rules", "reason": "Not a factual sentence.", "differences": [], "unsupported_words": [], "backed_by": [], "checks": []}, {"index": 1, "start": 19, "end": 46, "text": "Files are kept for 30 days.", "factual": true, "citations": ["c-1"], "pointers": [{"id": "c-1", "at": 46, "known": true, "quote": "Files are kept for 30 days."}], "support": "supported", "support_score": 1.0, "method": "rules", "reason": "the source says this word for word", "differences": [], "unsupported_words": [], "backed_by": [], "checks": [{"citation": "c-1", "status": "verified", "support": "supported", "quote_match": "exact", "match_score": 1.0, "differences": [], "suggested_chunk_id": null, "necessary": null, "reason": "Quote found word for word."}]}], "uncovered_aspects": [], "conflicts": [], "answer_status": "ANSWERED", "confidence_label": "HIGH", "confidence": 0.9683, "confidence_parts": {"agreement": 1.0, "coverage": 1.0, "self_rating": null, "verdicts": 1.0, "answers": 0.9683}, "abstained": false, "reason": null, "reason_code": null, "snippets": [], "removed": [], "repairs": [], "notes": [], "warnings": [], "metrics": {"citation_coverage": 1.0, "citation_accuracy": 1.0, "verification_rate": 1.0, "confidence_score": 1.0, "ids_alone": 1.0, "retrieval_count": 1, "verified": 1, "unverified": 0, "meets_target": true, "grounded": true}, "retrieved": [{"rank": 1, "chunk_id": "limits-chunk-0", "doc_id": "limits", "score": 0.6304, "access_level": "public", "chunk_hash": "e6d8b48c50125d3796e9e5823fa6d2d4e288ecc5327d9e65bdb35887f8ba8af7"}], "model": "extractive", "prompt_hash": "8285ebbfa0397ca0", "left_out": [], "timing_ms": {"retrieve": 13.8, "generate": 1.0, "verify": 35.8, "repair": 0.0}, "usage": {"input_tokens": null, "output_tokens": null, "cost": null}, "trace_id": null}');
INSERT INTO "answers" VALUES('ans_01M8PWSN9D21VWVH6PJ1J2JWSP','2026-11-30T18:52:08Z','internal','What does entry cost?','ANSWERED','{"schema_version": "1.0", "offset_unit": "codepoint", "id": "ans_01M8PWSN9D21VWVH6PJ1J2JWSP", "conversation_id": null, "previous_id": null, "first_id": 1, "created_at": "2026-11-30T18:52:08Z", "question": "What does entry cost?", "language": "en", "text": "Your sources say:\n\nEntry costs 10 EUR [1].", "answer": "Your sources say:\n\nEntry costs 10 EUR [c-1].", "plain": "Your sources say:\n\nEntry costs 10 EUR.", "citations": [{"id": "c-1", "n": 1, "doc_id": "fees", "chunk_id": "fees-chunk-0", "source": "Fees", "open_url": null, "title": "Fees", "section": "Main", "page": null, "kind": null, "format": "text", "published_date": null, "version": null, "document_status": "current", "licence": null, "document_hash": "594efdeccc1cb8cfe5dfb9857f0c71c042e6cc1239832b7fad246a4648804c99", "language": null, "score": 0.1908, "score_kind": "evidence", "quote": "Entry costs 10 EUR.", "quote_truncated": false, "quote_full": "Entry costs 10 EUR.", "quote_translation": null, "prefix": "# Main\n\n", "suffix": " Children pay nothing.", "spans": [{"chunk_id": "fees-chunk-0", "start": 8, "end": 27, "doc_start": 8, "doc_end": 27, "boxes": []}], "status": "verified", "quote_match": "exact", "match_score": 1.0, "differences": [], "occurrences": 1, "suggested_chunk_id": null, "stale": false, "address": null, "reason": "Quote found word for word."}], "sentences": [{"index": 0, "start": 0, "end": 17, "text": "Your sources say:", "factual": false, "citations": [], "pointers": [], "support": "unchecked", "support_score": 0.0, "method": "rules", "reason": "Not a factual sentence.", "differences": [], "unsupported_words": [], "backed_by": [], "checks": []}, {"index": 1, "start": 19, "end": 38, "text": "Entry costs 10 EUR.", "factual": true, "citations": ["c-1"], "pointers": [{"id": "c-1", "at": 38, "known": true, "quote": "Entry costs 10 EUR."}], "support": "supported", "support_score": 1.0, "method": "rules", "reason": "the source says this word for word", "differences": [], "unsupported_words": [], "backed_by": [], "checks": [{"citation": "c-1", "status": "verified", "support": "supported", "quote_match": "exact", "match_score": 1.0, "differences": [], "suggested_chunk_id": null, "necessary": null, "reason": "Quote found word for word."}]}], "uncovered_aspects": [], "conflicts": [], "answer_status": "ANSWERED", "confidence_label": "HIGH", "confidence": 0.9999, "confidence_parts": {"agreement": 1.0, "coverage": 1.0, "self_rating": null, "verdicts": 1.0, "answers": 0.9999}, "abstained": false, "reason": null, "reason_code": null, "snippets": [], "removed": [], "repairs": [], "notes": [], "warnings": ["The passages found are only loosely related to the question."], "metrics": {"citation_coverage": 1.0, "citation_accuracy": 1.0, "verification_rate": 1.0, "confidence_score": 1.0, "ids_alone": 1.0, "retrieval_count": 1, "verified": 1, "unverified": 0, "meets_target": true, "grounded": true}, "retrieved": [{"rank": 1, "chunk_id": "fees-chunk-0", "doc_id": "fees", "score": 0.1908, "access_level": "internal", "chunk_hash": "9b39bbd7c68adfaad1267a4b4b81cb7c30677577fe0c7908eb045c4f15b34a63"}], "model": "extractive", "prompt_hash": "8285ebbfa0397ca0", "left_out": [], "timing_ms": {"retrieve": 0.9, "generate": 0.8, "verify": 1.8, "repair": 0.0}, "usage": {"input_tokens": null, "output_tokens": null, "cost": null}, "trace_id": null}');
INSERT INTO "answers" VALUES('ans_01M8PWSN9NZ5AK4B9TDANXD7YH','2026-11-30T18:52:08Z','public','Who won the cup?','ABSTAINED','{"schema_version": "1.0", "offset_unit": "codepoint", "id": "ans_01M8PWSN9NZ5AK4B9TDANXD7YH", "conversation_id": null, "previous_id": null, "first_id": 1, "created_at": "2026-11-30T18:52:08Z", "question": "Who won the cup?", "language": "en", "text": "The sources do not answer this question.", "answer": "The sources do not answer this question.", "plain": "The sources do not answer this question.", "citations": [], "sentences": [], "uncovered_aspects": ["Who won the cup"], "conflicts": [], "answer_status": "ABSTAINED", "confidence_label": "LOW", "confidence": 0.0, "confidence_parts": {}, "abstained": true, "reason": "No passage is close enough to the question.", "reason_code": "weak_retrieval", "snippets": [], "removed": [], "repairs": [], "notes": [], "warnings": [], "metrics": {"citation_coverage": null, "citation_accuracy": null, "verification_rate": null, "confidence_score": null, "ids_alone": null, "retrieval_count": 0, "verified": 0, "unverified": 0, "meets_target": false, "grounded": false}, "retrieved": [], "model": "extractive", "prompt_hash": "8285ebbfa0397ca0", "left_out": [], "timing_ms": {"retrieve": 0.7}, "usage": {"input_tokens": null, "output_tokens": null, "cost": null}, "trace_id": null}');
CREATE TABLE chunks (
    key INTEGER PRIMARY KEY,
    doc_key INTEGER NOT NULL,
    chunk_id TEXT NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    detail TEXT NOT NULL
);
INSERT INTO "chunks" VALUES(1,2,'fees-chunk-0',0,49,'[[],["Main"],null,null,""]');
INSERT INTO "chunks" VALUES(2,3,'limits-chunk-1',0,66,'[[],["Limits"],null,null,""]');
CREATE TABLE counters (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "counters" VALUES('generation',2);
INSERT INTO "counters" VALUES('next_chunk_key',3);
INSERT INTO "counters" VALUES('next_doc_key',4);
INSERT INTO "counters" VALUES('next_term_id',38);
INSERT INTO "counters" VALUES('term_epoch',1);
INSERT INTO "counters" VALUES('token','b45d3d8e');
CREATE TABLE documents (
    doc_key INTEGER PRIMARY KEY,
    doc_id TEXT NOT NULL UNIQUE,
    level INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    title TEXT, url TEXT, kind TEXT, format TEXT, access_level TEXT, owner TEXT, published_date TEXT,
    version TEXT, language TEXT, status TEXT, licence TEXT, content_hash TEXT, defaulted TEXT, blob TEXT, origin TEXT
);
INSERT INTO "documents" VALUES(2,'fees',1,1,1,'2026-11-30T18:52:08Z','Fees','','','text','internal',NULL,NULL,NULL,NULL,'current',NULL,'594efdeccc1cb8cfe5dfb9857f0c71c042e6cc1239832b7fad246a4648804c99','["language"]',NULL,NULL);
INSERT INTO "documents" VALUES(3,'limits',0,2,1,'2026-11-30T18:52:08Z','Limits','','','text','public',NULL,NULL,NULL,'en','current',NULL,'c37390d9622cac411d1455a1201c8aa892d557327c2ea2021d14efd0df1a8cd9','["language"]',NULL,NULL);
CREATE TABLE feedback (
    feedback_id TEXT PRIMARY KEY, answer_id TEXT NOT NULL, given_at TEXT NOT NULL, level TEXT NOT NULL, reaction TEXT NOT NULL,
    citation_id TEXT, sentence_index INTEGER, note TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "feedback" VALUES('fb_1','ans_01M8PWSN5BPB4DW1DGX9TBBD47','2026-11-30T15:50:00Z','public','wrong_source','c-1',NULL,X'6F6C6420EDB3BF');
CREATE TABLE levels (level INTEGER PRIMARY KEY, chunk_count INTEGER NOT NULL, term_count INTEGER NOT NULL);
INSERT INTO "levels" VALUES(0,1,15);
INSERT INTO "levels" VALUES(1,1,9);
CREATE TABLE mentions (
    doc_id TEXT NOT NULL, answer_id TEXT NOT NULL, content_hash TEXT NOT NULL, PRIMARY KEY (doc_id, answer_id, content_hash)
) WITHOUT ROWID;
INSERT INTO "mentions" VALUES('limits','ans_01M8PWSN5BPB4DW1DGX9TBBD47','91f8bd8fc7fa06f003164924832060fdd197e4a034bbb6154e9da69e85c65f1a');
INSERT INTO "mentions" VALUES('fees','ans_01M8PWSN9D21VWVH6PJ1J2JWSP','594efdeccc1cb8cfe5dfb9857f0c71c042e6cc1239832b7fad246a4648804c99');
CREATE TABLE numbers (doc_id TEXT PRIMARY KEY, next_number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "numbers" VALUES('fees',1);
INSERT INTO "numbers" VALUES('limits',2);
CREATE TABLE postings (place INTEGER PRIMARY KEY, entries BLOB NOT NULL);
INSERT INTO "postings" VALUES(253755392,X'010001000900');
INSERT INTO "postings" VALUES(270532608,X'010001000900');
INSERT INTO "postings" VALUES(287309824,X'010001000900');
INSERT INTO "postings" VALUES(304087040,X'010001000900');
INSERT INTO "postings" VALUES(320864256,X'010001000900');
INSERT INTO "postings" VALUES(337641472,X'010001000900');
INSERT INTO "postings" VALUES(354418688,X'010001000900');
INSERT INTO "postings" VALUES(371195904,X'010001000900');
INSERT INTO "postings" VALUES(387973120,X'010001000900');
INSERT INTO "postings" VALUES(402653184,X'020002000F00');
INSERT INTO "postings" VALUES(419430400,X'020001000F00');
INSERT INTO "postings" VALUES(436207616,X'020001000F00');
INSERT INTO "postings" VALUES(452984832,X'020001000F00');
INSERT INTO "postings" VALUES(469762048,X'020001000F00');
INSERT INTO "postings" VALUES(486539264,X'020001000F00');
INSERT INTO "postings" VALUES(503316480,X'020001000F00');
INSERT INTO "postings" VALUES(520093696,X'020001000F00');
INSERT INTO "postings" VALUES(536870912,X'020001000F00');
INSERT INTO "postings" VALUES(553648128,X'020001000F00');
INSERT INTO "postings" VALUES(570425344,X'020001000F00');
INSERT INTO "postings" VALUES(587202560,X'020001000F00');
INSERT INTO "postings" VALUES(603979776,X'020001000F00');
INSERT INTO "postings" VALUES(620756992,X'020001000F00');
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
INSERT INTO "terms" VALUES(15,'fees');
INSERT INTO "terms" VALUES(16,'main');
INSERT INTO "terms" VALUES(17,'entry');
INSERT INTO "terms" VALUES(18,'costs');
INSERT INTO "terms" VALUES(19,'10');
INSERT INTO "terms" VALUES(20,'eur');
INSERT INTO "terms" VALUES(21,'children');
INSERT INTO "terms" VALUES(22,'pay');
INSERT INTO "terms" VALUES(23,'nothing');
INSERT INTO "terms" VALUES(24,'limit');
INSERT INTO "terms" VALUES(25,'upload');
INSERT INTO "terms" VALUES(26,'may');
INSERT INTO "terms" VALUES(27,'be');
INSERT INTO "terms" VALUES(28,'up');
INSERT INTO "terms" VALUES(29,'to');
INSERT INTO "terms" VALUES(30,'25');
INSERT INTO "terms" VALUES(31,'mb');
INSERT INTO "terms" VALUES(32,'file');
INSERT INTO "terms" VALUES(33,'are');
INSERT INTO "terms" VALUES(34,'kept');
INSERT INTO "terms" VALUES(35,'for');
INSERT INTO "terms" VALUES(36,'60');
INSERT INTO "terms" VALUES(37,'day');
CREATE TABLE texts (doc_key INTEGER PRIMARY KEY, text, detail TEXT NOT NULL, term_ids BLOB NOT NULL);
INSERT INTO "texts" VALUES(2,'# Main

Entry costs 10 EUR. Children pay nothing.','{"sections":[],"pages":[],"runs":[],"metadata":[]}',X'0F0000001000000011000000120000001300000014000000150000001600000017000000');
INSERT INTO "texts" VALUES(3,'# Limits

Uploads may be up to 25 MB.

Files are kept for 60 days.','{"sections":[],"pages":[],"runs":[],"metadata":[]}',X'18000000190000001A0000001B0000001C0000001D0000001E0000001F000000200000002100000022000000230000002400000025000000');
CREATE TABLE tombstones (doc_id TEXT PRIMARY KEY, level INTEGER NOT NULL, removed_at TEXT NOT NULL, hashes TEXT NOT NULL)
    WITHOUT ROWID;
CREATE TABLE vectors (doc_key INTEGER PRIMARY KEY, level INTEGER NOT NULL, first_key INTEGER NOT NULL, rows BLOB);
CREATE TABLE versions (
    doc_id TEXT NOT NULL, content_hash TEXT NOT NULL, level INTEGER NOT NULL, replaced_at TEXT NOT NULL, blob TEXT,
    document TEXT NOT NULL, text, PRIMARY KEY (doc_id, content_hash)
);
INSERT INTO "versions" VALUES('limits','91f8bd8fc7fa06f003164924832060fdd197e4a034bbb6154e9da69e85c65f1a',0,'2026-11-30T18:52:08Z',NULL,'[{"doc_id": "limits", "title": "Limits", "url": "", "kind": "", "format": "text", "access_level": "public", "owner": null, "published_date": null, "version": null, "language": "en", "status": "current", "licence": null, "content_hash": "91f8bd8fc7fa06f003164924832060fdd197e4a034bbb6154e9da69e85c65f1a", "defaulted": ["language"], "blob": null}, "{\"sections\":[],\"pages\":[],\"runs\":[],\"metadata\":[]}", null]','# Limits

Uploads may be up to 25 MB.

Files are kept for 30 days.');
CREATE INDEX answers_by_time ON answers (created_at DESC, answer_id);
CREATE INDEX mentions_by_answer ON mentions (answer_id);
CREATE INDEX feedback_by_answer ON feedback (answer_id);
CREATE INDEX documents_by_blob ON documents (blob);
CREATE INDEX versions_by_blob ON versions (blob);
COMMIT;
