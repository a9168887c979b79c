package io.redelay.samples.shop.order;

import java.time.Instant;

import io.redelay.samples.shop.receipt.ReceiptService;
import io.redelay.samples.shop.timeline.OrderEventKind;
import io.redelay.samples.shop.timeline.Timeline;
import io.redelay.samples.shop.web.ConflictException;
import io.redelay.samples.shop.web.NotFoundException;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Places orders and takes the money for them.
 */
@Service
class OrderService {

	private final JdbcAggregateOperations aggregates;

	private final OrderRepository orders;

	private final PaymentTimeout timeout;

	private final PaymentReminder reminder;

	private final ReceiptService receipts;

	private final Timeline timeline;

	private final ApplicationEventPublisher events;

	OrderService(JdbcAggregateOperations aggregates, OrderRepository orders, PaymentTimeout timeout,
			PaymentReminder reminder, ReceiptService receipts, Timeline timeline, ApplicationEventPublisher events) {
		this.aggregates = aggregates;
		this.orders = orders;
		this.timeout = timeout;
		this.reminder = reminder;
		this.receipts = receipts;
		this.timeline = timeline;
		this.events = events;
	}

	@Transactional
	ShopOrder place(PlaceOrder request) {
		ShopOrder order = this.aggregates.insert(ShopOrder.of(request, Instant.now()));
		this.timeout.start(order);
		this.reminder.start(order);
		this.timeline.add(order.id(), order.email(), OrderEventKind.PLACED);
		return order;
	}

	@Transactional
	ShopOrder pay(String id) {
		boolean paid = this.orders.pay(id, Instant.now());
		ShopOrder order = find(id);
		if (order.status() == ShopOrder.Status.CANCELLED) {
			throw new ConflictException("The order '%s' was not paid in time and is cancelled".formatted(id));
		}
		if (paid) {
			this.receipts.request(id, order.email());
			this.timeline.add(id, order.email(), OrderEventKind.PAID);
			this.events.publishEvent(new OrderPaid(id));
		}
		return order;
	}

	ShopOrder find(String id) {
		return this.orders.findById(id).orElseThrow(() -> new NotFoundException("order", id));
	}

	Reminder findReminder(String id) {
		String orderId = find(id).id();
		return this.reminder.find(orderId).orElseThrow(() -> new NotFoundException("reminder for order", orderId));
	}

}
