package io.redelay.samples.shop.digest;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonIgnore;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A mail with news that was sent.
 */
@Table
record Digest(@Id String id, @JsonIgnore String email, int size, Instant sentAt) {

	static Digest of(String email, int size, Instant now) {
		return new Digest(UUID.randomUUID().toString(), email, size, now.truncatedTo(ChronoUnit.MILLIS));
	}

}
