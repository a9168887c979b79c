package io.redelay.docs;

// tag::imports[]
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.Backoff;
// tag::payload-types-imports[]
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
// end::payload-types-imports[]
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.listener.DeliveryFilter;
// tag::runtime-listeners-imports[]
import io.redelay.queue.listener.ListenerDefinition;
// end::runtime-listeners-imports[]
// tag::payload-types-imports[]
import io.redelay.queue.listener.QueueHandler;
// end::payload-types-imports[]
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.work.DeliveryInfo;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.AliasFor;
// tag::payload-types-imports[]
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
// end::payload-types-imports[]
import org.springframework.stereotype.Component;
// end::imports[]

/**
 * The code of the chapter "Listening".
 */
class Listening {

	private final Orders orders;

	private final Mailer mailer;

	Listening(Orders orders, Mailer mailer) {
		this.orders = orders;
		this.mailer = mailer;
	}

	// tag::parameters[]
	@QueueListener("parameters")
	void handle(Order order, @Header("tenant") String tenant, @Header(QueueHeaders.ATTEMPT) int attempt,
			DeliveryInfo delivery) {
		this.orders.report(order.id() + " of " + tenant + ", sent at " + delivery.sentAt() + ", attempt " + attempt);
	}
	// end::parameters[]

	// tag::manual[]
	@QueueListener(queues = "payments", ackMode = AckMode.MANUAL)
	void charge(Order order, Acknowledgment acknowledgment) {
		this.mailer.mail(order.id()).whenComplete((done, failure) -> {
			if (failure == null) {
				acknowledgment.acknowledge();
			}
			else {
				acknowledgment.nack(Duration.ofMinutes(1));
			}
		});
	}
	// end::manual[]

	// tag::futures[]
	@QueueListener("mails-by-future")
	CompletableFuture<Void> mail(String text) {
		return this.mailer.mail(text);
	}

	@QueueListener("mails-by-mono")
	Mono<Void> mailReactively(String text) {
		return Mono.fromFuture(() -> this.mailer.mail(text));
	}
	// end::futures[]

	// tag::batch[]
	@QueueListener(queues = "clicks", batchSize = "100", batchTimeout = "200ms")
	void count(List<Click> clicks) {
		this.orders.report(clicks.size() + " clicks");
	}
	// end::batch[]

	// tag::batch-result[]
	@QueueListener(queues = "invoices", batchSize = "50")
	BatchResult book(List<Order> orders) {
		BatchResult result = BatchResult.create();
		for (Order order : orders) {
			try {
				book(order);
			}
			catch (IllegalStateException ex) {
				result.failed(order, ex); // <1>
			}
			catch (UnsupportedOperationException ex) {
				result.retried(order, Duration.ofMinutes(10)); // <2>
			}
			catch (IllegalArgumentException ex) {
				result.rejected(order, "Nobody can book it"); // <3>
			}
		}
		return result;
	}
	// end::batch-result[]

	// tag::batch-acknowledgment[]
	@QueueListener(queues = "mails-in-batches", batchSize = "50")
	void send(List<Order> orders, BatchAcknowledgment acknowledgment) {
		for (int i = 0; i < orders.size() && !this.mailer.isClosed(); i++) {
			if (this.mailer.knows(orders.get(i).id())) {
				this.mailer.mail(orders.get(i).id()).join();
				acknowledgment.at(i).acknowledge(); // <1>
			}
			else {
				acknowledgment.of(orders.get(i)).reject("Nobody lives there"); // <2>
			}
		}
		acknowledgment.nack(Duration.ofHours(1)); // <3>
	}
	// end::batch-acknowledgment[]

	private void book(Order order) {
		if (order.id().isEmpty()) {
			throw new IllegalStateException("The order has no id");
		}
		this.orders.report("book " + order.id());
	}

	// tag::retries[]
	@QueueListener(queues = "receipts", maxAttempts = "6", noRetryFor = IllegalArgumentException.class,
			backoff = @Backoff(initialInterval = "2s", multiplier = "3", maxInterval = "10m", jitter = "0.5"))
	void sendReceipt(Order order) {
		if (!this.mailer.knows(order.id())) {
			throw new RejectMessageException("Nobody lives there"); // <1>
		}
		if (this.mailer.isClosed()) {
			throw new RetryMessageException(Duration.ofHours(1)); // <2>
		}
		this.mailer.mail(order.id()).join(); // <3>
	}
	// end::retries[]

	// tag::meta-use[]
	@SlowListener("reports")
	void report(String month) {
		this.orders.report("report " + month);
	}
	// end::meta-use[]

	// tag::at-most-once[]
	@QueueListener(queues = "pushes", ackMode = AckMode.BEFORE_HANDLING)
	void push(Order order) {
		this.orders.report("pushed " + order.id());
	}
	// end::at-most-once[]

	// tag::payload-types[]
	@PayloadType("order-placed") // <1>
	record OrderPlaced(String id, int items) {

	}

	@PayloadType("order-cancelled")
	record OrderCancelled(String id, String reason) {

	}

	@QueueListener(queues = "orders", concurrency = "4") // <2>
	static class OrderEvents {

		private final Orders orders;

		OrderEvents(Orders orders) {
			this.orders = orders;
		}

		@QueueHandler // <3>
		void placed(OrderPlaced order) {
			this.orders.report(order.id() + " with " + order.items() + " items");
		}

		@QueueHandler({ "order-cancelled", "order-rejected" }) // <4>
		void cancelled(OrderCancelled order, @Header(QueueHeaders.PAYLOAD_TYPE) String type) {
			this.orders.report(order.id() + ": " + type);
		}

		@QueueHandler(isDefault = true) // <5>
		void other(Message<?> message) {
			this.orders.report("not known yet: " + message.getHeaders().get(QueueHeaders.PAYLOAD_TYPE));
		}

	}
	// end::payload-types[]

	void register(QueueListeners listeners, String tenant) {
		// tag::runtime[]
		listeners.register(ListenerDefinition.of("imports-" + tenant, "imports." + tenant)
			.concurrency("1-4")
			.maxAttempts(10)
			.handler(Order.class, (order) -> this.orders.report(order.id())));
		listeners.setConcurrency("imports-" + tenant, 8);
		listeners.stop("imports-" + tenant).join();
		listeners.start("imports-" + tenant);
		// end::runtime[]
	}

	void remove(QueueListeners listeners, String tenant) {
		// tag::runtime[]
		listeners.remove("imports-" + tenant).join();
		// end::runtime[]
	}

	// tag::queue-order[]
	@QueueListener(queues = { "checkouts", "exports-by-night" }, queueWeights = { "3", "1" }) // <1>
	void handleByWeight(String text) {
		this.orders.report(text);
	}

	@QueueListener(queues = { "urgent", "usual", "whenever" }, queueOrder = "strict") // <2>
	void handleInOrder(String text) {
		this.orders.report(text);
	}
	// end::queue-order[]

	// tag::filter[]
	@Component("noTests")
	static class NoTests implements DeliveryFilter {

		@Override
		public boolean accepts(Message<?> message) {
			return !message.getHeaders().containsKey("test"); // <1>
		}

	}

	@QueueListener(queues = "signups", filter = "noTests")
	void welcome(String customer) {
		this.orders.report("welcome " + customer);
	}
	// end::filter[]

	// tag::meta[]
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@QueueListener(concurrency = "2", maxHandlingTime = "10m", maxAttempts = "2")
	@interface SlowListener {

		@AliasFor(annotation = QueueListener.class, attribute = "queues")
		String[] value();

	}
	// end::meta[]

	record Order(String id) {

	}

	record Click(String page) {

	}

	/**
	 * Stands for something slow and far away.
	 */
	interface Mailer {

		CompletableFuture<Void> mail(String text);

		boolean knows(String address);

		boolean isClosed();

	}

}
