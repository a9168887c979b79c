package io.redelay.samples.shop.webhook;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;

/**
 * Notifies merchants of their payments: it calls the server of each one no more often
 * than that can take, over all instances.
 * <p>
 * The merchant is the fairness key of the queue,
 * {@code redelay.queue.queues.payment-webhooks.fairness-key}. So the rate is one for each
 * merchant, and a merchant with a thousand payments keeps no other one waiting.
 */
@Service
class PaymentWebhook {

	static final String QUEUE = "payment-webhooks";

	private static final Logger logger = LoggerFactory.getLogger(PaymentWebhook.class);

	private final QueueOperations queues;

	private final JdbcAggregateOperations aggregates;

	private final WebhookCallRepository calls;

	PaymentWebhook(QueueOperations queues, JdbcAggregateOperations aggregates, WebhookCallRepository calls) {
		this.queues = queues;
		this.aggregates = aggregates;
		this.calls = calls;
	}

	Payment take(String merchant, BigDecimal amount) {
		Payment payment = new Payment(UUID.randomUUID().toString(), merchant, amount.setScale(2));
		this.queues.send(QUEUE, payment);
		return payment;
	}

	/**
	 * A message may come twice, and the server is called twice then: the id of the
	 * payment is what a merchant recognises it by.
	 */
	@QueueListener(queues = QUEUE, concurrency = "8", keyRateLimit = "${shop.webhooks.rate}")
	void call(Payment payment) {
		logger.info("Called the server of {}: {} of {}", payment.merchant(), payment.id(), payment.amount());
		if (!this.calls.existsById(payment.id())) {
			this.aggregates.insert(new WebhookCall(payment.id(), payment.merchant(), payment.amount(), Instant.now()));
		}
	}

	List<WebhookCall> findCalls(String merchant) {
		return this.calls.findByMerchantOrderByCalledAt(merchant);
	}

	/**
	 * A payment that a merchant is notified of.
	 */
	record Payment(String id, String merchant, BigDecimal amount) {

	}

}
