package io.redelay.samples.shop.order;

import java.math.BigDecimal;
import java.time.Duration;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import org.hibernate.validator.constraints.time.DurationMax;
import org.hibernate.validator.constraints.time.DurationMin;
import org.jspecify.annotations.Nullable;

/**
 * What a customer sends to place an order.
 */
record PlaceOrder(@NotBlank @Size(max = 200) String item,
		@NotNull @Positive @Digits(integer = 10, fraction = 2) BigDecimal amount,
		@NotNull @DurationMin(millis = 1) @DurationMax(days = 365) Duration payWithin,
		@Email @Size(max = 200) @Nullable String email) {

	String emailOrDefault() {
		return (this.email != null) ? this.email : "customer@example.com";
	}

}
