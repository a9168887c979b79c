package io.redelay.samples.shop.webhook;

import java.math.BigDecimal;
import java.time.Instant;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/**
 * A call of a merchant's server that was answered.
 */
@Table
record WebhookCall(@Id String paymentId, String merchant, BigDecimal amount, Instant calledAt) {

}
