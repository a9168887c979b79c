package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
// end::imports[]

import io.redelay.queue.work.QueueReceiver;
// tag::imports[]
import io.redelay.queue.work.ReceivedMessage;
// end::imports[]

/**
 * The code of the chapter "Receiving on demand".
 */
class Pulling {

	private final QueueReceiver receiver;

	private final Orders orders;

	Pulling(QueueReceiver receiver, Orders orders) {
		this.receiver = receiver;
		this.orders = orders;
	}

	void receive() {
		// tag::receive[]
		for (ReceivedMessage<Parcel> message : this.receiver.receive("parcels-to-weigh", Parcel.class, 20,
				Duration.ofSeconds(10))) { // <1>
			try {
				this.orders.report("weigh " + message.payload().id());
				message.acknowledge(); // <2>
			}
			catch (RuntimeException ex) {
				message.nack();
			}
		}
		// end::receive[]
	}

	CompletableFuture<Void> async() {
		// tag::async[]
		CompletableFuture<Void> done = this.receiver
			.receiveAsync("parcels-to-weigh", Parcel.class, 20, Duration.ofMinutes(1))
			.thenAccept((messages) -> messages.forEach((message) -> {
				this.orders.report("weigh " + message.payload().id());
				message.acknowledge();
			}));
		// end::async[]
		return done;
	}

	record Parcel(String id) {

	}

}
