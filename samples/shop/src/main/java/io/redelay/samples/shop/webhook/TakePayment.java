package io.redelay.samples.shop.webhook;

import java.math.BigDecimal;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;

/**
 * What is sent when somebody has paid a merchant.
 */
record TakePayment(@NotNull @Positive @Digits(integer = 10, fraction = 2) BigDecimal amount) {

}
