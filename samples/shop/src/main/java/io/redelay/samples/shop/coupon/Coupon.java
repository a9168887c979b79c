package io.redelay.samples.shop.coupon;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A coupon of which there are as many as its stock says.
 */
@Table
record Coupon(@Id String id, String name, int stock, Instant createdAt) {

	static Coupon of(IssueCoupon request, Instant now) {
		return new Coupon(UUID.randomUUID().toString(), request.name(), request.stock(),
				now.truncatedTo(ChronoUnit.MILLIS));
	}

}
