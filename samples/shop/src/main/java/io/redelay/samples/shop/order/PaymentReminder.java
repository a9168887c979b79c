package io.redelay.samples.shop.order;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.samples.shop.mail.Mailer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.util.Assert;

/**
 * Mails a reminder before the time to pay an order is up, unless it is paid by then.
 */
@Component
class PaymentReminder {

	static final String QUEUE = "payment-reminder";

	private static final Logger logger = LoggerFactory.getLogger(PaymentReminder.class);

	private final QueueOperations queues;

	private final MessageAdmin messages;

	private final OrderRepository orders;

	private final Mailer mailer;

	private final double remindAfter;

	PaymentReminder(QueueOperations queues, MessageAdmin messages, OrderRepository orders, Mailer mailer,
			@Value("${shop.orders.remind-after}") double remindAfter) {
		Assert.isTrue(remindAfter >= 0 && remindAfter < 1,
				() -> "'shop.orders.remind-after' must be at least 0 and less than 1: " + remindAfter);
		this.queues = queues;
		this.messages = messages;
		this.orders = orders;
		this.mailer = mailer;
		this.remindAfter = remindAfter;
	}

	/**
	 * To be called in the transaction that inserts the order. It is sent after the commit
	 * and before the customer has an answer, so that whoever pays can cancel it. It needs
	 * neither the outbox nor a safety net as the timeout does: a reminder that is lost
	 * does no harm.
	 */
	void start(ShopOrder order) {
		Duration delay = Duration.ofMillis((long) (order.timeToPay().toMillis() * this.remindAfter));
		this.queues.send(OutboundMessage.to(QUEUE, new RemindToPay(order.id())).id(order.id()).delay(delay));
	}

	@QueueListener(QUEUE)
	void remind(RemindToPay message) {
		this.orders.findById(message.orderId()).filter(ShopOrder::awaitsReminder).ifPresent((order) -> {
			this.mailer.send(order.email(), "Please pay order %s until %s".formatted(order.id(), order.payBy()));
			this.orders.reminded(order.id(), Instant.now());
		});
	}

	/**
	 * Called after the commit, since what is cancelled does not come back with a
	 * rollback. Why both this and a handler that looks at the order: this spares Redis
	 * messages that wait for nothing, but it may come too late, when the message is in
	 * hand, or never, when this instance dies or Redis is away. What must not happen, the
	 * handler prevents; so the payment does not fail for this.
	 */
	@TransactionalEventListener
	void cancel(OrderPaid order) {
		try {
			this.messages.cancel(QUEUE, order.orderId());
		}
		catch (QueueException ex) {
			logger.warn("The reminder to pay order {} stays until its time", order.orderId(), ex);
		}
	}

	Optional<Reminder> find(String orderId) {
		return this.messages.find(QUEUE, orderId).map((message) -> new Reminder(message.state(), message.dueAt()));
	}

	/**
	 * Asks for the customer to be reminded of an order.
	 */
	record RemindToPay(String orderId) {

	}

}
