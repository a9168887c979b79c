package io.redelay.samples.shop.coupon;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A coupon that a user has.
 */
@Table
record CouponClaim(@Id String id, String couponId, long userId, Instant claimedAt) {

	static CouponClaim of(String couponId, long userId, Instant now) {
		return new CouponClaim(UUID.randomUUID().toString(), couponId, userId, now.truncatedTo(ChronoUnit.MILLIS));
	}

}
