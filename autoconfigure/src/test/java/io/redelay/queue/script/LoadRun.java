package io.redelay.queue.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Senders and consumers that keep a queue busy while something happens to Redis, and
 * write down their notifications.
 */
final class LoadRun implements AutoCloseable {

	private static final int SENDERS = 3;

	private static final int CONSUMERS = 3;

	private final TestQueue queue;

	private final ExecutorService threads = Executors.newFixedThreadPool(SENDERS + CONSUMERS);

	private final CountDownLatch sendersStop = new CountDownLatch(1);

	private final CountDownLatch consumersStop = new CountDownLatch(1);

	private final List<CompletableFuture<Void>> sending = new ArrayList<>();

	private final List<CompletableFuture<Void>> consuming = new ArrayList<>();

	/**
	 * What the store said that it has.
	 */
	private final Set<String> sent = ConcurrentHashMap.newKeySet();

	/**
	 * The claims under which each message came.
	 */
	private final Map<String, Set<String>> claims = new ConcurrentHashMap<>();

	private final Map<String, Integer> retries = new ConcurrentHashMap<>();

	private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();

	private final AtomicInteger early = new AtomicInteger();

	private final Map<String, Long> dueAtTheEarliest = new ConcurrentHashMap<>();

	LoadRun(QueueScripts store) {
		this.queue = new TestQueue(store);
		for (int i = 0; i < SENDERS; i++) {
			this.sending.add(CompletableFuture.runAsync(this::send, this.threads));
		}
		for (int i = 0; i < CONSUMERS; i++) {
			this.consuming.add(CompletableFuture.runAsync(this::consume, this.threads));
		}
	}

	/**
	 * Waits until so many more messages were acknowledged.
	 */
	void goOn(int messages) {
		int before = this.acknowledged.size();
		await().atMost(Duration.ofSeconds(60))
			.until(() -> this.acknowledged.size() >= before + messages || failed(this.sending)
					|| failed(this.consuming));
	}

	private static boolean failed(List<CompletableFuture<Void>> futures) {
		return futures.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
	}

	/**
	 * Ends the senders, drains the queue, and checks that every message was handled, none
	 * came under two claims without a retry, and none came early.
	 */
	void end() {
		this.sendersStop.countDown();
		this.sending.forEach(CompletableFuture::join);
		await().atMost(Duration.ofSeconds(60))
			.until(() -> this.acknowledged.size() >= this.sent.size() || failed(this.consuming));
		this.consumersStop.countDown();
		this.consuming.forEach(CompletableFuture::join);
		assertThat(this.acknowledged).as("acknowledged").isEqualTo(this.sent);
		this.claims.forEach((uid, claims) -> assertThat(claims).as("claims of %s", uid)
			.hasSize(1 + this.retries.getOrDefault(uid, 0)));
		assertThat(this.early).as("early ones").hasValue(0);
	}

	private void send() {
		TestQueue.Sender sender = this.queue.sender();
		while (this.sendersStop.getCount() > 0) {
			List<NewMessage> messages = new ArrayList<>();
			int count = ThreadLocalRandom.current().nextInt(1, 6);
			long now = System.currentTimeMillis();
			for (int i = 0; i < count; i++) {
				if (ThreadLocalRandom.current().nextInt(3) == 0) {
					int delay = ThreadLocalRandom.current().nextInt(1, 200);
					NewMessage message = this.queue.message("delayed", Duration.ofMillis(delay));
					this.dueAtTheEarliest.put(message.uid(), now + delay);
					messages.add(message);
				}
				else {
					messages.add(this.queue.message("now"));
				}
			}
			assertThat(sender.send(messages).status()).isEqualTo(LaneStatus.OK);
			messages.forEach((message) -> this.sent.add(message.uid()));
		}
	}

	private void consume() {
		TestQueue.Consumer consumer = this.queue.consumer();
		List<Settlement> settlements = List.of();
		while (this.consumersStop.getCount() > 0 || !settlements.isEmpty()) {
			ClaimReply reply = consumer.claim((this.consumersStop.getCount() > 0) ? 20 : 0, settlements);
			assertThat(reply.status()).isEqualTo(LaneStatus.OK);
			assertThat(reply.refused()).isEmpty();
			settlements.stream()
				.filter((settlement) -> settlement.action() == Settlement.Action.ACK)
				.forEach((settlement) -> this.acknowledged.add(settlement.uid()));
			settlements = reply.messages().stream().map((message) -> handle(consumer, reply, message)).toList();
			if (settlements.isEmpty() && isStoppedSoon()) {
				return;
			}
		}
	}

	private Settlement handle(TestQueue.Consumer consumer, ClaimReply reply, ClaimReply.Message message) {
		String claim = consumer.lane + "/" + message.claim();
		this.claims.computeIfAbsent(message.uid(), (uid) -> ConcurrentHashMap.newKeySet()).add(claim);
		if (reply.time().toEpochMilli() < this.dueAtTheEarliest.getOrDefault(message.uid(), 0L)) {
			this.early.incrementAndGet();
		}
		if (ThreadLocalRandom.current().nextInt(10) == 0) {
			this.retries.merge(message.uid(), 1, Integer::sum);
			Duration delay = Duration.ofMillis(ThreadLocalRandom.current().nextInt(3) * 10L);
			return Settlement.retry(message.uid(), message.claim(), delay);
		}
		return Settlement.ack(message.uid(), message.claim());
	}

	private boolean isStoppedSoon() {
		try {
			return this.consumersStop.await(5, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return true;
		}
	}

	@Override
	public void close() {
		this.sendersStop.countDown();
		this.consumersStop.countDown();
		this.threads.shutdownNow();
	}

}
