package io.redelay.samples.shop.receipt;

import java.time.Instant;

import io.redelay.queue.Backoff;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.samples.shop.mail.MailFailedException;
import io.redelay.samples.shop.mail.Mailer;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Mails receipts, and tries again when that fails.
 */
@Component
class ReceiptMailing {

	static final String QUEUE = "receipts";

	private final QueueOperations queues;

	private final ReceiptRepository receipts;

	private final Mailer mailer;

	private final int maxAttempts;

	ReceiptMailing(QueueOperations queues, ReceiptRepository receipts, Mailer mailer,
			@Value("${shop.receipts.max-attempts}") int maxAttempts) {
		this.queues = queues;
		this.receipts = receipts;
		this.mailer = mailer;
		this.maxAttempts = maxAttempts;
	}

	void start(String orderId) {
		this.queues.send(mailReceipt(orderId));
	}

	/**
	 * A message may come twice; a receipt that was sent is not sent again. (A crash
	 * between mailing and noting it mails it twice all the same: no mail server can be
	 * part of a transaction.)
	 */
	@QueueListener(queues = QUEUE, maxAttempts = "${shop.receipts.max-attempts}",
			backoff = @Backoff(initialInterval = "${shop.receipts.backoff}"))
	void mail(MailReceipt message, DeliveryInfo delivery) {
		this.receipts.findById(message.orderId())
			.filter((receipt) -> receipt.status() != Receipt.Status.SENT)
			.ifPresent((receipt) -> mail(receipt, delivery.failures() + 1 >= this.maxAttempts));
	}

	private void mail(Receipt receipt, boolean lastAttempt) {
		try {
			this.mailer.send(receipt.email(), "Thank you for order " + receipt.orderId());
		}
		catch (MailFailedException ex) {
			// Thrown on: the message comes again after the backoff or, after the last
			// attempt, is kept among the queue's dead messages.
			this.receipts.failed(receipt.orderId(), lastAttempt ? Receipt.Status.DEAD : Receipt.Status.PENDING,
					String.valueOf(ex.getMessage()));
			throw ex;
		}
		this.receipts.sent(receipt.orderId(), Instant.now());
	}

	/**
	 * The safety net, as for orders. It also catches what the queue gave up because the
	 * database was away at each attempt: a dead message leaves its id to the next one.
	 */
	@Scheduled(fixedDelayString = "${shop.sweep-interval}")
	void sendAgain() {
		Instant longAgo = Instant.now().minusSeconds(30);
		this.queues.sendAll(this.receipts.findPendingCreatedAt(longAgo).stream().map(this::mailReceipt).toList());
	}

	private OutboundMessage mailReceipt(String orderId) {
		return OutboundMessage.to(QUEUE, new MailReceipt(orderId)).id(orderId);
	}

	/**
	 * Asks for the receipt of an order to be mailed.
	 */
	record MailReceipt(String orderId) {

	}

}
