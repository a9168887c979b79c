package io.redelay.samples.shop.order;

import java.time.Instant;

import io.redelay.outbox.OutboxOperations;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.samples.shop.timeline.OrderEventKind;
import io.redelay.samples.shop.timeline.Timeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Cancels an order that is not paid in time: a message that comes when the time is up.
 */
@Component
class PaymentTimeout {

	static final String QUEUE = "payment-timeout";

	private static final Logger logger = LoggerFactory.getLogger(PaymentTimeout.class);

	private final OutboxOperations outbox;

	private final QueueOperations queues;

	private final OrderRepository orders;

	private final Timeline timeline;

	PaymentTimeout(OutboxOperations outbox, QueueOperations queues, OrderRepository orders, Timeline timeline) {
		this.outbox = outbox;
		this.queues = queues;
		this.orders = orders;
		this.timeline = timeline;
	}

	/**
	 * To be called in the transaction that inserts the order, which writes the message as
	 * well: it is sent if and only if that commits, whatever crashes then.
	 */
	void start(ShopOrder order) {
		this.outbox.send(timeIsUp(order.id()).delay(order.timeToPay()));
	}

	/**
	 * A message may come twice; the second time there is nothing left to cancel. The
	 * transaction writes the event as well.
	 */
	@Transactional
	@QueueListener(QUEUE)
	void cancel(TimeIsUp message) {
		if (this.orders.cancel(message.orderId(), Instant.now())) {
			logger.info("Order {} was not paid in time and is cancelled", message.orderId());
			this.orders.findById(message.orderId())
				.ifPresent((order) -> this.timeline.add(order.id(), order.email(), OrderEventKind.CANCELLED));
		}
	}

	/**
	 * The safety net. A Redis that loses its data leaves orders without a message, which
	 * show as pending past their time. While the message of one lives after all, in Redis
	 * or in the outbox, another one of the same id is a duplicate and adds nothing, or
	 * finds nothing left to cancel.
	 */
	@Scheduled(fixedDelayString = "${shop.sweep-interval}")
	void sendAgain() {
		Instant longAgo = Instant.now().minusSeconds(5);
		this.queues.sendAll(this.orders.findPendingPayBy(longAgo).stream().map(this::timeIsUp).toList());
	}

	private OutboundMessage timeIsUp(String orderId) {
		return OutboundMessage.to(QUEUE, new TimeIsUp(orderId)).id(orderId);
	}

	/**
	 * Says that the time to pay an order is up.
	 */
	record TimeIsUp(String orderId) {

	}

}
