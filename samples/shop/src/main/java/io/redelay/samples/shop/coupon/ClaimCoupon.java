package io.redelay.samples.shop.coupon;

import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;

/**
 * What a user sends to get a coupon.
 */
record ClaimCoupon(@NotNull @Positive Long userId) {

}
