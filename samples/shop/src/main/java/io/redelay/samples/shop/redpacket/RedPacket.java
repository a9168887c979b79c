package io.redelay.samples.shop.redpacket;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A red packet, as the database keeps it and as the API shows it. While it is pending,
 * the money is in it and in no account.
 */
@Table
record RedPacket(@Id String id, @JsonProperty("from") String sender, @JsonProperty("to") String recipient,
		BigDecimal amount, Status status, Instant createdAt, Instant refundAt, @Nullable Instant openedAt,
		@Nullable Instant refundedAt) {

	static RedPacket of(SendRedPacket request, Instant now) {
		Instant createdAt = now.truncatedTo(ChronoUnit.MILLIS);
		return new RedPacket(UUID.randomUUID().toString(), request.from(), request.to(), request.amount().setScale(2),
				Status.PENDING, createdAt, createdAt.plus(request.refundAfter()), null, null);
	}

	Duration timeToOpen() {
		return Duration.between(this.createdAt, this.refundAt);
	}

	enum Status {

		PENDING, OPENED, REFUNDED

	}

}
