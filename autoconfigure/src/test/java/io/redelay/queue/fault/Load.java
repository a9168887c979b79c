package io.redelay.queue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.event.RedisRolledBackEvent;
import org.awaitility.Awaitility;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What several instances send to a queue and handle, all the time, while something is
 * done to their Redis. A payload is {@code key-number}. Each sender has three ordering
 * keys, and sends messages without one and with a delay beside.
 */
final class Load {

	private static final Duration DELAY = Duration.ofMillis(200);

	private static final int KEYS = 3;

	/**
	 * The keys, and what has none and is due later.
	 */
	private static final int KINDS = KEYS + 1;

	private static final String LATER = "later";

	private final String queue;

	private final List<ConfigurableApplicationContext> applications;

	private final Set<String> returned = ConcurrentHashMap.newKeySet();

	private final Queue<String> failed = new ConcurrentLinkedQueue<>();

	private final AtomicBoolean sending = new AtomicBoolean(true);

	private final List<Thread> senders = new ArrayList<>();

	Load(String queue, ConfigurableApplicationContext... applications) {
		this.queue = queue;
		this.applications = List.of(applications);
	}

	Load start() {
		for (ConfigurableApplicationContext application : this.applications) {
			for (int i = 0; i < 2; i++) {
				String name = "sender" + this.senders.size();
				Thread thread = new Thread(() -> send(application.getBean(QueueOperations.class), name), name);
				this.senders.add(thread);
				thread.start();
			}
		}
		return this;
	}

	private void send(QueueOperations operations, String name) {
		for (int i = 0; this.sending.get(); i++) {
			String key = name + ((i % KINDS < KEYS) ? "key" + i % KINDS : LATER);
			String payload = key + "-" + i / KINDS;
			OutboundMessage message = OutboundMessage.to(this.queue, payload);
			try {
				operations.send(key.endsWith(LATER) ? message.delay(DELAY) : message.orderingKey(key));
				this.returned.add(payload);
			}
			catch (MessageSendException ex) {
				// What did not return is promised nothing.
				this.failed.add(payload + ": " + ex);
			}
		}
	}

	/**
	 * Waits until so many more sends have returned.
	 */
	void awaitMore(int count) {
		int before = this.returned.size();
		Awaitility.await().until(() -> this.returned.size() > before + count);
	}

	/**
	 * Waits until messages are sent and handled again.
	 * @param limit how long to wait
	 * @return how long it took
	 */
	Duration awaitResumption(Duration limit) {
		long start = System.nanoTime();
		Instant now = Instant.now();
		int before = this.returned.size();
		Awaitility.await()
			.atMost(limit)
			.until(() -> this.returned.size() > before + this.senders.size()
					&& handlings().anyMatch((handling) -> handling.sentAt().isAfter(now)));
		return Duration.ofNanos(System.nanoTime() - start);
	}

	/**
	 * Ends sending: each send has returned or failed then.
	 */
	void stop() throws InterruptedException {
		this.sending.set(false);
		for (Thread sender : this.senders) {
			sender.join(60_000);
		}
	}

	/**
	 * Waits until the queue is empty, and reports which sends returned and were not
	 * handled.
	 */
	List<String> missing() {
		awaitDrained();
		return unhandled();
	}

	private List<String> unhandled() {
		Set<String> handled = new HashSet<>();
		handlings().forEach((handling) -> handled.add(handling.payload()));
		return this.returned.stream().filter((sent) -> !handled.contains(sent)).sorted().toList();
	}

	void assertNothingIsMissing() {
		Awaitility.await().untilAsserted(() -> assertThat(unhandled()).as("missing").isEmpty());
		awaitDrained();
	}

	/**
	 * Messages of a key were handled in the order in which they were sent, but for those
	 * of which the send failed, of which the outcome is unknown; what comes once more
	 * does not matter.
	 */
	void assertOrderWasKept() {
		Map<String, Long> last = new HashMap<>();
		Set<String> seen = new HashSet<>();
		List<String> late = handlings().sorted(Comparator.comparing(Handling::begin))
			.map(Handling::payload)
			.filter((payload) -> !payload.contains(LATER) && seen.add(payload))
			.filter((payload) -> {
				int dash = payload.lastIndexOf('-');
				long number = Long.parseLong(payload.substring(dash + 1));
				Long before = last.put(payload.substring(0, dash), number);
				return before != null && before > number;
			})
			.toList();
		assertThat(late).as("handled behind one that was sent later").isEmpty();
	}

	void assertNothingWasEarly() {
		assertThat(handlings().filter((handling) -> handling.begin().isBefore(handling.dueAt())).toList()).as("early")
			.isEmpty();
	}

	void assertNothingWasHandledTwice() {
		Map<String, Integer> times = new HashMap<>();
		handlings().forEach((handling) -> times.merge(handling.payload(), 1, Integer::sum));
		times.values().removeIf((count) -> count == 1);
		assertThat(times).as("handled more than once").isEmpty();
	}

	void assertNoSendFailed() {
		assertThat(this.failed).as("sends that failed").isEmpty();
	}

	Collection<String> knownQueues() {
		return admin().queues().names();
	}

	private QueueAdmin admin() {
		return this.applications.get(0).getBean(QueueAdmin.class);
	}

	private void awaitDrained() {
		Awaitility.await().untilAsserted(() -> {
			QueueInfo info = admin().queues().info(this.queue);
			assertThat(info.ready() + info.scheduled() + info.inFlight() + info.dead()).as(info.toString()).isZero();
		});
	}

	List<RedisRolledBackEvent> events() {
		return this.applications.stream().flatMap((each) -> each.getBean(Listener.class).events.stream()).toList();
	}

	private Stream<Handling> handlings() {
		return this.applications.stream().flatMap((each) -> each.getBean(Listener.class).handlings.stream());
	}

	@Override
	public String toString() {
		return "%d sent, %d failed, %d handled".formatted(this.returned.size(), this.failed.size(),
				handlings().count());
	}

	/**
	 * One delivery to a handler.
	 */
	record Handling(String payload, Instant sentAt, Instant dueAt, Instant begin) {
	}

	/**
	 * Writes down what it handles, and is notified when Redis goes back.
	 */
	static class Listener {

		final Queue<Handling> handlings = new ConcurrentLinkedQueue<>();

		final List<RedisRolledBackEvent> events = new CopyOnWriteArrayList<>();

		@QueueListener("${test.queue}")
		void handle(String payload, @Header(QueueHeaders.SENT_AT) Instant sentAt,
				@Header(QueueHeaders.DUE_AT) Instant dueAt) {
			this.handlings.add(new Handling(payload, sentAt, dueAt, Instant.now()));
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.events.add(event);
		}

	}

}
