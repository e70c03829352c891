PRAGMA application_id = 1885957731;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE answers (
    answer_id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    level TEXT NOT NULL,
    question TEXT NOT NULL,
    status TEXT NOT NULL,
    body TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "answers" VALUES('ans_01M8PJ03D2QQZANVA7HZKXB50Y','2026-11-30T15:43:25Z','public','How long are files kept?','ANSWERED','{"schema_version": "1.0", "offset_unit": "codepoint", "id": "ans_01M8PJ03D2QQZANVA7HZKXB50Y", "conversation_id": null, "created_at": "2026-11-30T15:43:25Z", "question": "How long are files kept?", "language": "en", "text": "Your sources say:\n\nFiles are kept for 30 days [1].", "answer": "Your sources say:\n\nFiles are kept for 30 days [c-1].", "plain": "Your sources say:\n\nFiles are kept for 30 days.", "citations": [{"id": "c-1", "n": 1, "doc_id": "limits", "chunk_id": "limits-chunk-0", "source": "https://example.org/limits", "open_url": "https://example.org/limits", "title": "Limits", "section": "Limits", "page": null, "kind": null, "format": "text", "published_date": null, "version": null, "document_status": "current", "licence": null, "document_hash": "1783655d0160427abb830298e913d09a22dff1656076e84a780e05c09e33f8da", "language": "en", "score": 0.6304, "score_kind": "evidence", "quote": "Files are kept for 30 days.", "quote_truncated": false, "quote_full": "Files are kept for 30 days.", "quote_translation": null, "prefix": "s\n\nUploads may be up to 25 MB.\n\n", "suffix": "", "spans": [{"chunk_id": "limits-chunk-0", "start": 39, "end": 66, "doc_start": 39, "doc_end": 66, "boxes": []}], "status": "verified", "quote_match": "exact", "match_score": 1.0, "differences": [], "occurrences": 1, "suggested_chunk_id": null, "stale": false, "address": null, "reason": "Quote found word for word. the source says this word for word"}], "sentences": [{"index": 0, "start": 0, "end": 17, "text": "Your sources say:", "factual": false, "citations": [], "pointers": [], "support": "unchecked", "support_score": 0.0, "method": "rules", "reason": "Not a factual sentence.", "differences": [], "unsupported_words": [], "backed_by": [], "checks": []}, {"index": 1, "start": 19, "end": 46, "text": "Files are kept for 30 days.", "factual": true, "citations": ["c-1"], "pointers": [{"id": "c-1", "at": 46, "known": true, "quote": "Files are kept for 30 days."}], "support": "supported", "support_score": 1.0, "method": "rules", "reason": "the source says this word for word", "differences": [], "unsupported_words": [], "backed_by": [], "checks": [{"citation": "c-1", "status": "verified", "support": "supported", "quote_match": "exact", "match_score": 1.0, "differences": [], "suggested_chunk_id": null, "necessary": null, "reason": "Quote found word for word. the source says this word for word"}]}], "uncovered_aspects": [], "conflicts": [], "answer_status": "ANSWERED", "confidence_label": "HIGH", "confidence": 0.8764, "confidence_parts": {"similarity_max": 0.6304, "similarity_mean": 0.6304, "sources": 0.5, "agreement": 1.0, "coverage": 1.0, "self_rating": null, "verdicts": 1.0}, "abstained": false, "reason": null, "reason_code": null, "snippets": [], "removed": [], "notes": [], "warnings": [], "metrics": {"citation_coverage": 1.0, "citation_accuracy": 1.0, "verification_rate": 1.0, "confidence_score": 1.0, "ids_alone": 1.0, "retrieval_count": 1, "verified": 1, "unverified": 0, "meets_target": true, "grounded": true}, "retrieved": [{"rank": 1, "chunk_id": "limits-chunk-0", "doc_id": "limits", "score": 0.6304, "access_level": "public", "chunk_hash": "e6d8b48c50125d3796e9e5823fa6d2d4e288ecc5327d9e65bdb35887f8ba8af7"}], "model": "extractive", "prompt_hash": "5a3162da368ed04b", "timing_ms": {"retrieve": 13.8, "generate": 2.4, "verify": 113.1}, "usage": {"input_tokens": null, "output_tokens": null}, "trace_id": null}');
INSERT INTO "answers" VALUES('ans_01M8PJ03HFCCQA9E384MPXWJYK','2026-11-30T15:43:25Z','internal','What does entry cost?','ANSWERED','{"schema_version": "1.0", "offset_unit": "codepoint", "id": "ans_01M8PJ03HFCCQA9E384MPXWJYK", "conversation_id": null, "created_at": "2026-11-30T15:43:25Z", "question": "What does entry cost?", "language": "en", "text": "Your sources say:\n\nEntry costs 10 EUR [1].", "answer": "Your sources say:\n\nEntry costs 10 EUR [c-1].", "plain": "Your sources say:\n\nEntry costs 10 EUR.", "citations": [{"id": "c-1", "n": 1, "doc_id": "fees", "chunk_id": "fees-chunk-0", "source": "Fees", "open_url": null, "title": "Fees", "section": "Main", "page": null, "kind": null, "format": "text", "published_date": "2024-05-01", "version": null, "document_status": "current", "licence": null, "document_hash": "186b616a9b6c8e47cc7056e15844f6d598a79ee855c153bddd2d31dfc572d644", "language": null, "score": 0.2089, "score_kind": "evidence", "quote": "Entry costs 10 EUR.", "quote_truncated": false, "quote_full": "Entry costs 10 EUR.", "quote_translation": null, "prefix": "", "suffix": " Children pay nothing.", "spans": [{"chunk_id": "fees-chunk-0", "start": 0, "end": 19, "doc_start": 0, "doc_end": 19, "boxes": []}], "status": "verified", "quote_match": "exact", "match_score": 1.0, "differences": [], "occurrences": 1, "suggested_chunk_id": null, "stale": false, "address": null, "reason": "Quote found word for word. the source says this word for word"}], "sentences": [{"index": 0, "start": 0, "end": 17, "text": "Your sources say:", "factual": false, "citations": [], "pointers": [], "support": "unchecked", "support_score": 0.0, "method": "rules", "reason": "Not a factual sentence.", "differences": [], "unsupported_words": [], "backed_by": [], "checks": []}, {"index": 1, "start": 19, "end": 38, "text": "Entry costs 10 EUR.", "factual": true, "citations": ["c-1"], "pointers": [{"id": "c-1", "at": 38, "known": true, "quote": "Entry costs 10 EUR."}], "support": "supported", "support_score": 1.0, "method": "rules", "reason": "the source says this word for word", "differences": [], "unsupported_words": [], "backed_by": [], "checks": [{"citation": "c-1", "status": "verified", "support": "supported", "quote_match": "exact", "match_score": 1.0, "differences": [], "suggested_chunk_id": null, "necessary": null, "reason": "Quote found word for word. the source says this word for word"}]}], "uncovered_aspects": [], "conflicts": [], "answer_status": "ANSWERED", "confidence_label": "HIGH", "confidence": 0.7655, "confidence_parts": {"similarity_max": 0.2089, "similarity_mean": 0.2089, "sources": 0.5, "agreement": 1.0, "coverage": 1.0, "self_rating": null, "verdicts": 1.0}, "abstained": false, "reason": null, "reason_code": null, "snippets": [], "removed": [], "notes": [], "warnings": ["The passages found are only loosely related to the question."], "metrics": {"citation_coverage": 1.0, "citation_accuracy": 1.0, "verification_rate": 1.0, "confidence_score": 1.0, "ids_alone": 1.0, "retrieval_count": 1, "verified": 1, "unverified": 0, "meets_target": true, "grounded": true}, "retrieved": [{"rank": 1, "chunk_id": "fees-chunk-0", "doc_id": "fees", "score": 0.2089, "access_level": "internal", "chunk_hash": "a20f7650bbbeeb62f067bf235f01c04de823ee840192c262613a7fa94ab19794"}], "model": "extractive", "prompt_hash": "5a3162da368ed04b", "timing_ms": {"retrieve": 0.7, "generate": 0.7, "verify": 4.3}, "usage": {"input_tokens": null, "output_tokens": null}, "trace_id": null}');
INSERT INTO "answers" VALUES('ans_01M8PJ03HPANK6C30PRD6PZNWF','2026-11-30T15:43:25Z','public','Who was the first emperor of Rome?','ABSTAINED','{"schema_version": "1.0", "offset_unit": "codepoint", "id": "ans_01M8PJ03HPANK6C30PRD6PZNWF", "conversation_id": null, "created_at": "2026-11-30T15:43:25Z", "question": "Who was the first emperor of Rome?", "language": "en", "text": "The sources do not answer this question.", "answer": "The sources do not answer this question.", "plain": "The sources do not answer this question.", "citations": [], "sentences": [], "uncovered_aspects": ["Who was the first emperor of Rome"], "conflicts": [], "answer_status": "ABSTAINED", "confidence_label": "LOW", "confidence": 0.0, "confidence_parts": {}, "abstained": true, "reason": "No passage is close enough to the question.", "reason_code": "weak_retrieval", "snippets": [], "removed": [], "notes": [], "warnings": [], "metrics": {"citation_coverage": null, "citation_accuracy": null, "verification_rate": null, "confidence_score": null, "ids_alone": null, "retrieval_count": 0, "verified": 0, "unverified": 0, "meets_target": false, "grounded": false}, "retrieved": [], "model": "extractive", "prompt_hash": "5a3162da368ed04b", "timing_ms": {"retrieve": 0.5}, "usage": {"input_tokens": null, "output_tokens": null}, "trace_id": null}');
CREATE TABLE chunks (
    key INTEGER PRIMARY KEY,
    doc_key INTEGER NOT NULL,
    chunk_id TEXT NOT NULL UNIQUE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    detail TEXT NOT NULL
);
INSERT INTO "chunks" VALUES(0,1,'limits-chunk-0',0,66,'[[],["Limits"],null,null]');
INSERT INTO "chunks" VALUES(1,2,'fees-chunk-0',0,41,'[[],["Main"],null,null]');
CREATE TABLE counters (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO "counters" VALUES('generation',1);
INSERT INTO "counters" VALUES('next_chunk_key',2);
INSERT INTO "counters" VALUES('next_doc_key',3);
INSERT INTO "counters" VALUES('next_term_id',23);
INSERT INTO "counters" VALUES('term_epoch',0);
INSERT INTO "counters" VALUES('token','9a1dd86f');
CREATE TABLE documents (
    doc_key INTEGER PRIMARY KEY,
    doc_id TEXT NOT NULL UNIQUE,
    level INTEGER NOT NULL,
    first_key INTEGER NOT NULL,
    chunk_count INTEGER NOT NULL,
    added_at TEXT NOT NULL,
    title TEXT, url TEXT, kind TEXT, format TEXT, access_level TEXT, owner TEXT, published_date TEXT,
    version TEXT, language TEXT, status TEXT, licence TEXT, content_hash TEXT, defaulted TEXT
);
INSERT INTO "documents" VALUES(1,'limits',0,0,1,'2026-11-30T15:43:25Z','Limits','https://example.org/limits','','text','public',NULL,NULL,NULL,'en','current',NULL,'1783655d0160427abb830298e913d09a22dff1656076e84a780e05c09e33f8da','["language"]');
INSERT INTO "documents" VALUES(2,'fees',1,1,1,'2026-11-30T15:43:25Z','Fees','','','text','internal',NULL,'2024-05-01',NULL,NULL,'current',NULL,'186b616a9b6c8e47cc7056e15844f6d598a79ee855c153bddd2d31dfc572d644','["language"]');
CREATE TABLE levels (level INTEGER PRIMARY KEY, chunk_count INTEGER NOT NULL, term_count INTEGER NOT NULL);
INSERT INTO "levels" VALUES(0,1,15);
INSERT INTO "levels" VALUES(1,1,8);
CREATE TABLE numbers (doc_id TEXT PRIMARY KEY, next_number INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO "numbers" VALUES('fees',1);
INSERT INTO "numbers" VALUES('limits',1);
CREATE TABLE postings (place INTEGER PRIMARY KEY, entries BLOB NOT NULL);
INSERT INTO "postings" VALUES(16777216,X'000002000F00');
INSERT INTO "postings" VALUES(33554432,X'000001000F00');
INSERT INTO "postings" VALUES(50331648,X'000001000F00');
INSERT INTO "postings" VALUES(67108864,X'000001000F00');
INSERT INTO "postings" VALUES(83886080,X'000001000F00');
INSERT INTO "postings" VALUES(100663296,X'000001000F00');
INSERT INTO "postings" VALUES(117440512,X'000001000F00');
INSERT INTO "postings" VALUES(134217728,X'000001000F00');
INSERT INTO "postings" VALUES(150994944,X'000001000F00');
INSERT INTO "postings" VALUES(167772160,X'000001000F00');
INSERT INTO "postings" VALUES(184549376,X'000001000F00');
INSERT INTO "postings" VALUES(201326592,X'000001000F00');
INSERT INTO "postings" VALUES(218103808,X'000001000F00');
INSERT INTO "postings" VALUES(234881024,X'000001000F00');
INSERT INTO "postings" VALUES(253755392,X'010001000800');
INSERT INTO "postings" VALUES(270532608,X'010001000800');
INSERT INTO "postings" VALUES(287309824,X'010001000800');
INSERT INTO "postings" VALUES(304087040,X'010001000800');
INSERT INTO "postings" VALUES(320864256,X'010001000800');
INSERT INTO "postings" VALUES(337641472,X'010001000800');
INSERT INTO "postings" VALUES(354418688,X'010001000800');
INSERT INTO "postings" VALUES(371195904,X'010001000800');
CREATE TABLE terms (id INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
INSERT INTO "terms" VALUES(1,'limit');
INSERT INTO "terms" VALUES(2,'upload');
INSERT INTO "terms" VALUES(3,'may');
INSERT INTO "terms" VALUES(4,'be');
INSERT INTO "terms" VALUES(5,'up');
INSERT INTO "terms" VALUES(6,'to');
INSERT INTO "terms" VALUES(7,'25');
INSERT INTO "terms" VALUES(8,'mb');
INSERT INTO "terms" VALUES(9,'file');
INSERT INTO "terms" VALUES(10,'are');
INSERT INTO "terms" VALUES(11,'kept');
INSERT INTO "terms" VALUES(12,'for');
INSERT INTO "terms" VALUES(13,'30');
INSERT INTO "terms" VALUES(14,'day');
INSERT INTO "terms" VALUES(15,'fees');
INSERT INTO "terms" VALUES(16,'entry');
INSERT INTO "terms" VALUES(17,'costs');
INSERT INTO "terms" VALUES(18,'10');
INSERT INTO "terms" VALUES(19,'eur');
INSERT INTO "terms" VALUES(20,'children');
INSERT INTO "terms" VALUES(21,'pay');
INSERT INTO "terms" VALUES(22,'nothing');
CREATE TABLE texts (doc_key INTEGER PRIMARY KEY, text, detail TEXT NOT NULL, term_ids BLOB NOT NULL);
INSERT INTO "texts" VALUES(1,'# Limits

Uploads may be up to 25 MB.

Files are kept for 30 days.','{"sections":[],"pages":[],"runs":[],"metadata":[]}',X'0100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E000000');
INSERT INTO "texts" VALUES(2,'Entry costs 10 EUR. Children pay nothing.','{"sections":[],"pages":[],"runs":[],"metadata":[]}',X'0F00000010000000110000001200000013000000140000001500000016000000');
CREATE TABLE vectors (doc_key INTEGER PRIMARY KEY, level INTEGER NOT NULL, first_key INTEGER NOT NULL, rows BLOB);
CREATE INDEX answers_by_time ON answers (created_at DESC, answer_id);
COMMIT;
