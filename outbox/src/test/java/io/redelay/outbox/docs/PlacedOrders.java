package io.redelay.outbox.docs;

// tag::imports[]
import java.time.Duration;
// end::imports[]

import io.redelay.outbox.OutboxOperations;
// tag::imports[]
import io.redelay.queue.OutboundMessage;
// end::imports[]

import org.springframework.jdbc.core.simple.JdbcClient;
// tag::imports[]
import org.springframework.transaction.annotation.Transactional;
// end::imports[]

/**
 * Code of the guide.
 */
public class PlacedOrders {

	private final JdbcClient jdbc;

	private final OutboxOperations outbox;

	public PlacedOrders(JdbcClient jdbc, OutboxOperations outbox) {
		this.jdbc = jdbc;
		this.outbox = outbox;
	}

	// tag::place[]
	@Transactional
	public void place(Order order) {
		this.jdbc.sql("INSERT INTO placed_order (id, customer) VALUES (:id, :customer)").paramSource(order).update();
		this.outbox.send("payment-timeout", order.id(), Duration.ofMinutes(30)); // <1>
		this.outbox.send(OutboundMessage.to("receipts", order).id(order.id()).orderingKey(order.customer())); // <2>
		this.outbox.publish("order-placed", order); // <3>
	}
	// end::place[]

	/**
	 * An order.
	 */
	public record Order(String id, String customer) {

	}

}
