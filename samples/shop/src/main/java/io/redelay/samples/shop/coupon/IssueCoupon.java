package io.redelay.samples.shop.coupon;

import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;

/**
 * What the shop sends to issue a coupon.
 */
record IssueCoupon(@NotBlank @Size(max = 100) String name, @NotNull @Positive Integer stock) {

}
