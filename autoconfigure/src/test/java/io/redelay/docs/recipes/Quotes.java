package io.redelay.docs.recipes;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;

import org.springframework.stereotype.Component;

@Component
class Quotes {

	private final QueueOperations queues;

	Quotes(QueueOperations queues) {
		this.queues = queues;
	}

	CompletableFuture<Quote> ask(String parcel) {
		return this.queues
			.sendForResult(OutboundMessage.to("quotes", parcel).timeToLive(Duration.ofSeconds(30)), Quote.class)
			.orTimeout(1, TimeUnit.MINUTES);
	}

	@QueueListener("quotes")
	Quote answer(String parcel) {
		return new Quote(parcel, 499);
	}

	record Quote(String parcel, long cents) {
	}

}
