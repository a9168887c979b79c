package io.redelay.samples.shop.receipt;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * The receipt for a paid order: how often mailing it has failed and, until it is sent,
 * why.
 */
@Table
record Receipt(@Id String orderId, String email, Status status, int failures, @Nullable String reason,
		Instant createdAt, @Nullable Instant sentAt) {

	static Receipt of(String orderId, String email, Instant now) {
		return new Receipt(orderId, email, Status.PENDING, 0, null, now, null);
	}

	enum Status {

		PENDING, SENT, DEAD

	}

}
