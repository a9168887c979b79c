-- The content of packed messages that are due much later, while Redis has the rest. Times are milliseconds since 1970.
CREATE TABLE IF NOT EXISTS redelay_cold_chunk (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	owner VARCHAR(64) NOT NULL,
	queue VARCHAR(300) NOT NULL,
	chunk VARCHAR(20) NOT NULL,
	sha1 VARCHAR(40) NOT NULL,
	due_at BIGINT NOT NULL,
	latest_at BIGINT NOT NULL,
	message_count INTEGER NOT NULL,
	packed MEDIUMBLOB NOT NULL,
	leaving_since BIGINT,
	UNIQUE INDEX redelay_cold_chunk_key (queue, chunk, sha1, owner)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
