package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.store.BatcherSettings;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.LaneRenewal;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.OutcomeUnknownException;
import io.redelay.queue.store.OutboxReply;
import io.redelay.queue.store.OutboxRequest;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RequestProtocol;
import io.redelay.queue.store.ResumeReply;
import io.redelay.queue.store.ResumeRequest;
import io.redelay.queue.store.Rollback;
import io.redelay.queue.store.RunReply;
import io.redelay.queue.store.RunRequest;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendRequest;
import io.redelay.queue.store.SendTerms;
import io.redelay.queue.store.WakeUpListener;
import io.redelay.queue.store.WakeUpSubscription;

/**
 * The store of one instance: sends each request to the server, and again while no answer
 * comes, so that the server may get it late and twice.
 */
final class SimulatedStore implements DelayQueueStore {

	private static final Duration RESEND_AFTER = Duration.ofMillis(500);

	private static final int MOST_ATTEMPTS = 20;

	private final SimulatedInstance instance;

	private final SimulatedServer server;

	private final SimulatedNetwork network;

	private final ReplayMemory memory;

	private final List<WakeUpListener> listeners = new ArrayList<>();

	private int lanes;

	SimulatedStore(SimulatedInstance instance, SimulatedServer server, SimulatedNetwork network) {
		this.instance = instance;
		this.server = server;
		this.network = network;
		this.memory = new ReplayMemory(Duration.ofMinutes(1), 1_000_000, (rollback) -> {
			throw new AssertionError("The server never goes back in time, as a lane believes: " + rollback);
		}, instance);
	}

	/**
	 * Hears that a lane is woken, if it is one of this instance.
	 */
	void wakeUp(String lane) {
		if (lane.startsWith(instance() + ".")) {
			this.network.carry(() -> this.instance
				.execute(() -> List.copyOf(this.listeners).forEach((listener) -> listener.wakeUp(lane))));
		}
	}

	private <T> CompletableFuture<T> request(Supplier<T> request) {
		CompletableFuture<T> result = new CompletableFuture<>();
		attempt(request, result, 1);
		return result;
	}

	private <T> void attempt(Supplier<T> request, CompletableFuture<T> result, int attempt) {
		if (result.isDone()) {
			return;
		}
		if (attempt > MOST_ATTEMPTS) {
			result.completeExceptionally(new OutcomeUnknownException("no answer came", null));
			return;
		}
		this.network.send(request, (reply) -> this.instance.execute(() -> result.complete(reply)));
		this.instance.schedule(() -> attempt(request, result, attempt + 1), RESEND_AFTER);
	}

	private CompletableFuture<Void> order(Runnable request) {
		return this.request(() -> {
			request.run();
			return null;
		});
	}

	@Override
	public String instance() {
		return this.instance.name();
	}

	@Override
	public String newLane() {
		return instance() + "." + ++this.lanes;
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		return order(() -> {
		});
	}

	@Override
	public ReplayMemory replayMemory() {
		return this.memory;
	}

	@Override
	public RequestProtocol<NewMessage, SendReply> sends(String queue, SendTerms terms) {
		return new RequestProtocol<>(new BatcherSettings(queue, Rollback.Lane.SENDER, 1000, terms.maxWaiting()),
				NewMessage::bytes, () -> {
					String lane = newLane();
					return order(() -> this.server.openSender(lane)).thenCompose((open) -> register(queue))
						.thenApply((registered) -> lane);
				},
				(lane, seq, renews, messages,
						attempt) -> request(() -> this.server.send(new SendRequest(lane, seq, renews, messages, null,
								attempt.holdBack(), attempt.wasAnswered(), null, null))),
				(lane) -> request(() -> this.server.checkSender(lane)));
	}

	@Override
	public CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		return order(() -> this.server.openLane(lane, lease, before));
	}

	@Override
	public CompletableFuture<ResumeReply> resume(String queue, ResumeRequest request) {
		return request(() -> this.server.resume(request));
	}

	@Override
	public CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		return request(() -> this.server.claim(request));
	}

	@Override
	public CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered) {
		return request(() -> this.server.renewLane(lane, lease, answered) ? LaneRenewal.RENEWED : LaneRenewal.LOST);
	}

	@Override
	public CompletableFuture<Void> closeLane(String queue, String lane) {
		return order(() -> this.server.closeLane(lane));
	}

	@Override
	public CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		return request(Set::of);
	}

	@Override
	public CompletableFuture<OutboxReply> outbox(String queue, OutboxRequest request) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	@Override
	public CompletableFuture<RunReply> runs(String queue, RunRequest request) {
		return CompletableFuture.failedFuture(new UnsupportedOperationException());
	}

	@Override
	public WakeUpSubscription subscribe(WakeUpListener listener) {
		this.listeners.add(listener);
		return () -> this.listeners.remove(listener);
	}

}
