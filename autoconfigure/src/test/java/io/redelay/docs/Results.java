package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
// end::imports[]
import io.redelay.queue.QueueOperations;

/**
 * What the guide shows of results.
 */
class Results {

	private final QueueOperations queues;

	Results(QueueOperations queues) {
		this.queues = queues;
	}

	// tag::listener[]
	@QueueListener("quotes")
	Quote quote(Order order) {
		return new Quote(order.id(), 1_250);
	}
	// end::listener[]

	CompletableFuture<Quote> ask(Order order) {
		// tag::send[]
		CompletableFuture<Quote> quote = this.queues
			.sendForResult(OutboundMessage.to("quotes", order).id(order.id()).timeToLive(Duration.ofMinutes(1)),
					Quote.class)
			.orTimeout(2, TimeUnit.MINUTES);
		// end::send[]
		return quote;
	}

	CompletableFuture<Quote> askAgain(String id) {
		// tag::again[]
		CompletableFuture<Quote> quote = this.queues.result("quotes", id, Quote.class);
		// end::again[]
		return quote;
	}

	record Order(String id) {
	}

	record Quote(String order, long cents) {
	}

}
