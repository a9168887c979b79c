package io.redelay.samples.shop.order;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * An order, as the database keeps it and as the API shows it.
 */
@Table
record ShopOrder(@Id String id, String item, BigDecimal amount, String email, Status status, Instant createdAt,
		Instant payBy, @Nullable Instant remindedAt, @Nullable Instant paidAt, @Nullable Instant cancelledAt) {

	static ShopOrder of(PlaceOrder request, Instant now) {
		Instant createdAt = now.truncatedTo(ChronoUnit.MILLIS);
		return new ShopOrder(UUID.randomUUID().toString(), request.item(), request.amount().setScale(2),
				request.emailOrDefault(), Status.PENDING, createdAt, createdAt.plus(request.payWithin()), null, null,
				null);
	}

	Duration timeToPay() {
		return Duration.between(this.createdAt, this.payBy);
	}

	boolean awaitsReminder() {
		return this.status == Status.PENDING && this.remindedAt == null;
	}

	enum Status {

		PENDING, PAID, CANCELLED

	}

}
