package io.redelay.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.script.SendScripts;
import io.redelay.queue.wire.RedisAvailability;
import org.jspecify.annotations.Nullable;
import org.redisson.api.RedissonClient;

/**
 * The store, used as the container of a listener uses it.
 */
final class StoreUnderTest implements Contender {

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private static final Duration SAFETY_POLL = Duration.ofSeconds(5);

	private final byte[] envelope;

	private final Uids uids = new Uids();

	private final RequestBatcher<NewMessage, SendReply> sender;

	private final ClaimLane consumer;

	StoreUnderTest(RedissonClient redisson, String prefix, byte[] envelope, ScheduledExecutorService timer) {
		QueueScripts store = new QueueScripts(redisson, prefix, Duration.ofSeconds(30), timer, ReplayMemory.NONE,
				new RedisAvailability(timer), ScriptListeners.none());
		this.envelope = envelope;
		this.sender = new RequestBatcher<>(store.sends().protocol("store", new SendScripts.Terms(10_000, null, null)),
				store.replayMemory());
		this.consumer = new ClaimLane(store, "store", Duration.ofSeconds(30), ClaimLimits.NONE, true,
				new ClaimLane.RetryTimes(), Invariants.LOGGED);
	}

	@Override
	public String name() {
		return "store";
	}

	@Override
	public CompletableFuture<?> send(int count) {
		return send(count, null);
	}

	/**
	 * Sends messages that are due after a delay.
	 */
	CompletableFuture<?> sendLater(int count, Duration delay) {
		return send(count, delay);
	}

	@Override
	public int drain(int batch) {
		this.consumer.open().join();
		List<Settlement> finished = List.of();
		int messages = 0;
		do {
			ClaimReply reply = this.consumer.claim(batch, 0, MAX_BYTES, true, SAFETY_POLL, finished).join();
			finished = new ArrayList<>(reply.messages().size());
			for (var message : reply.messages()) {
				finished.add(Settlement.ack(message.uid(), message.claim()));
			}
			messages += finished.size();
		}
		while (!finished.isEmpty());
		this.consumer.close().join();
		return messages;
	}

	private CompletableFuture<?> send(int count, @Nullable Duration delay) {
		List<NewMessage> messages = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			messages.add(new NewMessage(this.uids.next(), null, delay, null, this.envelope));
		}
		return this.sender.submit(messages, true);
	}

}
