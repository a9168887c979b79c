package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;

/**
 * A queue of its own for a test, with senders and consumers that number their requests.
 */
public final class TestQueue {

	public static final Duration LEASE = Duration.ofSeconds(30);

	public final String name;

	public final QueueScripts store;

	private final Uids uids = new Uids();

	public TestQueue(QueueScripts store) {
		this(TestRedis.queue(), store);
	}

	public TestQueue(String name, QueueScripts store) {
		this.name = name;
		this.store = store;
	}

	public Sender sender() {
		return new Sender();
	}

	public Consumer consumer() {
		return consumer(LEASE);
	}

	public Consumer consumer(Duration lease) {
		return new Consumer(lease, ClaimLimits.NONE);
	}

	public Consumer consumer(ClaimLimits limits) {
		return new Consumer(LEASE, limits);
	}

	public NewMessage message(String text) {
		return new NewMessage(this.uids.next(), null, null, null, envelope(text));
	}

	public NewMessage message(String text, Duration delay) {
		return new NewMessage(this.uids.next(), null, delay, null, envelope(text));
	}

	public NewMessage messageAt(String text, Instant due) {
		return new NewMessage(this.uids.next(), null, null, due, envelope(text));
	}

	public NewMessage messageWithId(String id, String text) {
		return new NewMessage(this.uids.next(), id, null, null, envelope(text));
	}

	public NewMessage message(String text, MessageKeys keys) {
		return new NewMessage(this.uids.next(), null, null, null, envelope(text), keys, null);
	}

	public NewMessage message(String text, Duration delay, MessageKeys keys) {
		return new NewMessage(this.uids.next(), null, delay, null, envelope(text), keys, null);
	}

	public static MessageKeys ordered(String key) {
		return new MessageKeys(key, null, 1, null, null, false);
	}

	public static MessageKeys fair(String key, int weight) {
		return new MessageKeys(null, key, weight, null, null, false);
	}

	public static MessageKeys urgent(int priority) {
		return new MessageKeys(null, null, 1, priority, null, false);
	}

	public List<NewMessage> messages(int count) {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(message("m" + i));
		}
		return messages;
	}

	public String key(String name) {
		return "redelay:{" + this.name + "}:" + name;
	}

	public static byte[] envelope(String text) {
		return ("{\"payload\":\"" + text + "\"}").getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * A request without limits.
	 */
	public static ClaimRequest request(String lane, long seq, Duration lease, int wanted, int maxBytes, boolean suspect,
			Duration sleep, List<Settlement> settlements) {
		return new ClaimRequest(new ClaimRequest.Terms(lane, lease, ClaimLimits.NONE), seq, wanted, maxBytes, suspect,
				sleep, settlements, null);
	}

	/**
	 * The payload that {@link #envelope} made.
	 */
	public static String payload(ClaimReply.Message message) {
		String envelope = new String(message.envelope(), StandardCharsets.UTF_8);
		String start = "\"payload\":\"";
		return envelope.substring(envelope.indexOf(start) + start.length(), envelope.length() - 2);
	}

	public static <T> T get(CompletableFuture<T> future) {
		return StoreWorkbench.get(future);
	}

	/**
	 * One that sends.
	 */
	public final class Sender {

		final String lane = TestQueue.this.store.newLane();

		private long seq;

		private Sender() {
			get(TestQueue.this.store.sends().openSender(TestQueue.this.name, this.lane));
		}

		public CompletableFuture<SendReply> sendAsync(List<NewMessage> messages) {
			return TestQueue.this.store.sends()
				.send()
				.run(TestQueue.this.name, new SendRequest(this.lane, ++this.seq, false, messages, null, false, false))
				.whenComplete((reply, thrown) -> {
					Throwable failure = (thrown instanceof CompletionException) ? thrown.getCause() : thrown;
					if (failure instanceof StoreException && !(failure instanceof OutcomeUnknownException)) {
						// It was not carried out: its number is free.
						this.seq--;
					}
				});
		}

		public SendReply send(List<NewMessage> messages) {
			return get(sendAsync(messages));
		}

		public SendReply send(NewMessage... messages) {
			return send(List.of(messages));
		}

	}

	/**
	 * One that claims.
	 */
	public final class Consumer {

		public final String lane = TestQueue.this.store.newLane();

		private final Duration lease;

		private long seq;

		private final ClaimLimits limits;

		private Consumer(Duration lease, ClaimLimits limits) {
			this.lease = lease;
			this.limits = limits;
			get(new LaneScript(TestQueue.this.store).open(TestQueue.this.name, this.lane, lease, 0));
		}

		/**
		 * The number of its last request.
		 */
		public long last() {
			return this.seq;
		}

		public CompletableFuture<ClaimReply> claimAsync(int wanted, Duration sleep, List<Settlement> settlements) {
			return TestQueue.this.store.claim()
				.run(TestQueue.this.name, new ClaimRequest(new ClaimRequest.Terms(this.lane, this.lease, this.limits),
						++this.seq, wanted, Integer.MAX_VALUE, true, sleep, settlements, null));
		}

		public CompletableFuture<ClaimReply> claimAsync(int wanted, int maxBytes) {
			return TestQueue.this.store.claim()
				.run(TestQueue.this.name, TestQueue.request(this.lane, ++this.seq, this.lease, wanted, maxBytes, true,
						Duration.ZERO, List.of()));
		}

		public ClaimReply claim(int wanted, Settlement... settlements) {
			return get(claimAsync(wanted, Duration.ZERO, List.of(settlements)));
		}

		public ClaimReply claim(int wanted, List<Settlement> settlements) {
			return get(claimAsync(wanted, Duration.ZERO, settlements));
		}

		/**
		 * Claims, and so many more behind each message that has an ordering key.
		 */
		public ClaimReply claimRows(int wanted, int behind, List<Settlement> settlements) {
			this.seq++;
			return repeatRows(wanted, behind, settlements);
		}

		/**
		 * Sends the last request again.
		 */
		public ClaimReply repeatRows(int wanted, int behind, List<Settlement> settlements) {
			return get(TestQueue.this.store.claim()
				.run(TestQueue.this.name,
						new ClaimRequest(new ClaimRequest.Terms(this.lane, this.lease, this.limits, behind), this.seq,
								wanted, 1_000_000, true, Duration.ZERO, settlements, null)));
		}

		/**
		 * Claims, and goes to sleep if there is nothing.
		 */
		public ClaimReply claimOrSleep(Duration sleep) {
			return get(claimAsync(10, sleep, List.of()));
		}

		public boolean renew() {
			return get(new RenewLaneScript(TestQueue.this.store.runner()).run(TestQueue.this.name, this.lane,
					this.lease, this.seq, this.limits))
				.alive();
		}

		public void close() {
			get(new LaneScript(TestQueue.this.store).close(TestQueue.this.name, this.lane));
		}

	}

}
