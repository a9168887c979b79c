package io.redelay.docs;

// tag::imports[]
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

import io.redelay.queue.admin.TroubleEvent;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.event.MessageEventBatch;
import io.redelay.queue.event.QueueEvent;
import io.redelay.queue.event.QueueEvents;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
// end::imports[]

/**
 * The code of the chapter "Events of messages".
 */
class MessageEvents {

	// tag::message-events[]
	@Component
	static class Audit {

		final LongAdder dead = new LongAdder();

		@EventListener
		void on(MessageEvent event) {
			if (event.type() == MessageEvent.Type.DEAD) {
				this.dead.increment(); // of event.queue(), for event.reason(),
										// event.cause()
			}
		}

	}
	// end::message-events[]

	// tag::feed[]
	@Component
	static class Dashboard {

		final LongAdder acknowledged = new LongAdder();

		final LongAdder missed = new LongAdder();

		@EventListener
		void on(MessageEventBatch batch) {
			this.missed.add(batch.missed()); // of batch.instance()
			for (MessageEvent event : batch.events()) {
				if (event.type() == MessageEvent.Type.ACKNOWLEDGED) {
					this.acknowledged.increment();
				}
			}
		}

	}
	// end::feed[]

	// tag::queue-events[]
	@Component
	static class PausedQueues {

		final Set<String> paused = ConcurrentHashMap.newKeySet();

		@EventListener
		void on(QueueEvent event) {
			switch (event.type()) {
				case PAUSED -> this.paused.add(event.queue()); // by event.instance()
				case RESUMED, DELETED, FORGOTTEN -> this.paused.remove(event.queue());
				default -> {
				}
			}
		}

	}
	// end::queue-events[]

	// tag::trouble[]
	@Component
	static class Board implements TroubleListener {

		final Map<String, TroubleEvent> troubles = new ConcurrentHashMap<>();

		@Override
		public void onTrouble(TroubleEvent event) {
			switch (event.type()) {
				case BEGAN, CHANGED -> this.troubles.put(event.queue(), event); // event.kind(),
																				// event.summary()
				case ENDED -> this.troubles.remove(event.queue());
			}
		}

	}
	// end::trouble[]

	void watch(QueueEvents events, String queue, Consumer<MessageEvent> shown, Runnable whileShown) {
		// tag::subscription[]
		try (QueueEvents.Subscription subscription = events.subscribe((event) -> {
			if (event.queue().equals(queue)) {
				shown.accept(event);
			}
		})) {
			whileShown.run();
		}
		// end::subscription[]
	}

}
