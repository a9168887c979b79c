package io.redelay.queue.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.InletEntry;
import io.redelay.queue.store.InletPage;
import io.redelay.queue.store.InletStore;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.MoveListener;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendRequest;
import io.redelay.queue.store.TakeOverRequest;
import org.jspecify.annotations.Nullable;

/**
 * Inlets on Redis: of each queue one list, in the slot of the queue.
 */
final class RedisInletStore implements InletStore {

	/**
	 * How many inlets one request looks at.
	 */
	private static final int MAX_LOOKED_AT = 500;

	private final ScriptRunner runner;

	private final ExpiryAnnouncements expiries;

	private final Supplier<String> wakePrefix;

	private final Supplier<MoveListener> moves;

	private final Runnable expiryMatters;

	private final RequestMeter meter;

	private final boolean clustered;

	RedisInletStore(ScriptRunner runner, ExpiryAnnouncements expiries, Supplier<String> wakePrefix,
			Supplier<MoveListener> moves, Runnable expiryMatters, RequestMeter meter, boolean clustered) {
		this.runner = runner;
		this.expiries = expiries;
		this.wakePrefix = wakePrefix;
		this.moves = moves;
		this.expiryMatters = expiryMatters;
		this.meter = meter;
		this.clustered = clustered;
	}

	@Override
	public String key(String queue) {
		return this.runner.keys(queue).inlet();
	}

	/**
	 * Sends one request for each inlet on a cluster, as the keys of a request must be in
	 * one slot.
	 */
	@Override
	public CompletableFuture<List<String>> findFilled(List<String> queues) {
		int step = this.clustered ? 1 : MAX_LOOKED_AT;
		List<CompletableFuture<List<String>>> parts = new ArrayList<>();
		for (int first = 0; first < queues.size(); first += step) {
			parts.add(findFilledPart(queues.subList(first, Math.min(queues.size(), first + step))));
		}
		return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
			.thenApply((all) -> parts.stream().flatMap((part) -> part.join().stream()).toList());
	}

	private CompletableFuture<List<String>> findFilledPart(List<String> queues) {
		List<Object> keys = queues.stream().<Object>map(this::key).toList();
		return this.runner.run("Looking at " + queues.size() + " inlets", Script.OCCUPIED, keys, new Object[0],
				(reply) -> {
					List<String> filled = new ArrayList<>();
					while (reply.hasNext()) {
						filled.add(queues.get((int) reply.number() - 1));
					}
					return filled;
				});
	}

	@Override
	public CompletableFuture<InletPage> look(String queue, int most, long maxBytes, long longest) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking at the inlet of the queue '" + queue + "'", Script.LOOK_INLET,
				List.of(keys.meta(), keys.inlet()),
				new Object[] { Integer.toString(most), Long.toString(maxBytes), Long.toString(longest) },
				RedisInletStore::page);
	}

	private static InletPage page(Reply reply) {
		boolean foreign = reply.text().equals(ScriptWords.FOREIGN);
		Instant time = reply.time();
		if (foreign) {
			return new InletPage(time, true, 0, false, List.of());
		}
		long length = reply.number();
		boolean closed = reply.flag();
		List<InletEntry> entries = new ArrayList<>();
		while (reply.hasNext()) {
			long size = reply.number();
			entries.add(new InletEntry(reply.bytes(), size));
		}
		return new InletPage(time, false, length, closed, entries);
	}

	@Override
	public CompletableFuture<SendReply> takeOver(String queue, TakeOverRequest request, long longest) {
		List<NewMessage> messages = request.messages();
		SendRequest sending = messages.isEmpty() ? null : new SendRequest(request.lane(), request.seq(),
				request.renews(), messages, request.limit(), request.again(), request.again());
		MoveListener listener = this.moves.get();
		if (sending != null && listener.isListening()) {
			listener.sending(queue, sending);
		}
		long start = this.meter.start();
		return announced(queue, messages).thenCompose((announced) -> run(queue, request, sending, longest))
			.whenComplete((reply, failure) -> taken(queue, request, sending, reply, start));
	}

	/**
	 * Messages may have a time to live by an interceptor.
	 */
	private CompletableFuture<Void> announced(String queue, List<NewMessage> messages) {
		if (messages.stream().noneMatch((message) -> EnvelopeCodec.expires(message.envelope()))) {
			return CompletableFuture.completedFuture(null);
		}
		this.expiryMatters.run();
		return this.expiries.announce(queue);
	}

	private CompletableFuture<SendReply> run(String queue, TakeOverRequest request, @Nullable SendRequest sending,
			long longest) {
		TakeOverCall call = new TakeOverCall(this.runner.keys(queue), request, longest, this.wakePrefix.get());
		return this.runner.run("Taking over what is in the inlet of the queue '" + queue + "'", Script.TAKE_OVER,
				call.keys(), call.args(), (reply) -> reply(queue, sending, reply));
	}

	private SendReply reply(String queue, @Nullable SendRequest sending, Reply reply) {
		if (sending != null) {
			return new SendCall(this.runner.keys(queue), sending, "").reply(reply);
		}
		LaneStatus status = reply.status();
		return new SendReply(status, reply.hasNext() ? reply.time() : Instant.EPOCH, Map.of(), List.of());
	}

	private void taken(String queue, TakeOverRequest request, @Nullable SendRequest sending, @Nullable SendReply reply,
			long start) {
		MoveListener listener = this.moves.get();
		if (sending != null) {
			this.meter.sent(queue, sending, reply, start);
			if (listener.isListening()) {
				listener.sent(queue, sending, reply);
			}
		}
		if (reply != null && reply.status() == LaneStatus.OK && !request.again() && !request.dead().isEmpty()) {
			this.meter.refused(queue, request.dead().size());
			if (listener.isListening()) {
				listener.refused(queue, request.dead(), reply.time());
			}
		}
	}

}
