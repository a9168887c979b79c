package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.ReactiveQueueOperations;
import io.redelay.queue.SendOutcomeUnknownException;
import io.redelay.queue.SendResult;
import reactor.core.publisher.Mono;

import org.springframework.transaction.annotation.Transactional;
// end::imports[]

/**
 * The code of the chapter "Sending".
 */
class Sending {

	private final QueueOperations queues;

	private final Orders orders;

	Sending(QueueOperations queues, Orders orders) {
		this.queues = queues;
		this.orders = orders;
	}

	SendResult simple(String orderId, Instant tomorrow) {
		// tag::simple[]
		this.queues.send("mails", new Mail("amy@example.com", "Welcome"));
		this.queues.send("payment-timeout", new TimeIsUp(orderId), Duration.ofMinutes(30));
		SendResult result = this.queues.sendAt("reminders", new Mail("amy@example.com", "Tomorrow!"), tomorrow);
		// end::simple[]
		return result;
	}

	Mono<SendResult> reactive(ReactiveQueueOperations queues, String orderId) {
		// tag::reactive[]
		Mono<SendResult> sent = queues.send("payment-timeout", new TimeIsUp(orderId), Duration.ofMinutes(30));
		// end::reactive[]
		return sent;
	}

	SendResult builder(String orderId) {
		// tag::builder[]
		SendResult result = this.queues.send(OutboundMessage.to("payment-timeout", new TimeIsUp(orderId))
			.id("order-" + orderId)
			.delay(Duration.ofMinutes(30))
			.header("tenant", "north")
			.maxAttempts(10));
		// end::builder[]
		return result;
	}

	SendResult tags() {
		// tag::tags[]
		SendResult result = this.queues.send(OutboundMessage.to("parcels", new Mail("amy@example.com", "Sent"))
			.delay(Duration.ofDays(1))
			.tag("order:7") // <1>
			.tag("customer:amy"));
		// end::tags[]
		return result;
	}

	SendResult messageOptions() {
		// tag::message-options[]
		SendResult result = this.queues.send(OutboundMessage.to("invoice-mails", new Mail("amy@example.com", "Invoice"))
			.backoff(MessageBackoff.exponential(Duration.ofSeconds(10), 3, Duration.ofHours(1))) // <1>
			.maxHandlingTime(Duration.ofMinutes(2)) // <2>
			.maxAttempts(8) // <3>
			.deadLetterQueue("failed-invoices")); // <4>
		// end::message-options[]
		return result;
	}

	SendResult timeToLive() {
		// tag::time-to-live[]
		SendResult result = this.queues.send(OutboundMessage.to("mails", new Mail("amy@example.com", "Your code: 4711"))
			.timeToLive(Duration.ofMinutes(10), ExpiryAction.DROP));
		// end::time-to-live[]
		return result;
	}

	SendResult deadline() {
		// tag::deadline[]
		SendResult result = this.queues.send(OutboundMessage.to("mails", new Mail("amy@example.com", "Your report"))
			.delay(Duration.ofMinutes(1))
			.deadline(Duration.ofHours(2)));
		// end::deadline[]
		return result;
	}

	List<SendResult> all(List<Mail> mails) {
		// tag::all[]
		List<OutboundMessage> messages = mails.stream().map((mail) -> OutboundMessage.to("mails", mail)).toList();
		List<SendResult> results = this.queues.sendAll(messages);
		// end::all[]
		return results;
	}

	CompletableFuture<SendResult> async() {
		// tag::async[]
		CompletableFuture<SendResult> result = this.queues
			.sendAsync(OutboundMessage.to("mails", new Mail("amy@example.com", "Welcome")));
		// end::async[]
		return result;
	}

	// tag::transaction[]
	@Transactional
	public void place(String orderId) {
		this.orders.report("insert " + orderId);
		this.queues.send("payment-timeout", new TimeIsUp(orderId), Duration.ofMinutes(30)); // <1>
		this.queues.send(OutboundMessage.to("audit", "Somebody tried to order").inTransaction(false)); // <2>
	}
	// end::transaction[]

	// tag::unknown[]
	void startTimeout(String orderId) {
		OutboundMessage message = OutboundMessage.to("payment-timeout", new TimeIsUp(orderId)).id("order-" + orderId);
		try {
			this.queues.send(message);
		}
		catch (SendOutcomeUnknownException ex) {
			this.orders.report("send again " + orderId); // the id makes that safe
		}
	}
	// end::unknown[]

	record TimeIsUp(String orderId) {

	}

	record Mail(String to, String text) {

	}

}
