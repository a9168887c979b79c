-- The outbox of Redelay: messages that were written in a transaction and are to be sent. Times are milliseconds since 1970.
CREATE TABLE IF NOT EXISTS redelay_outbox (
	id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
	uid VARCHAR(64) NOT NULL,
	destination VARCHAR(160) NOT NULL,
	topic BOOLEAN NOT NULL,
	message_id VARCHAR(256),
	ordering_key VARCHAR(256),
	delay_millis BIGINT,
	message LONGTEXT NOT NULL,
	message_size INTEGER NOT NULL,
	written_at BIGINT NOT NULL,
	seen_at BIGINT,
	free_at BIGINT DEFAULT 0 NOT NULL,
	attempts INTEGER DEFAULT 0 NOT NULL,
	failure VARCHAR(1000),
	INDEX redelay_outbox_free (free_at, id),
	INDEX redelay_outbox_order (destination, ordering_key, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
