package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.request.WaitingCaller;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.ClaimRequest;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.script.ResumeScript;
import io.redelay.queue.wire.FakeStore;
import io.redelay.queue.wire.WakeUpSource;

/**
 * The store of one instance: sends each request to the server, and again while no answer
 * comes, so that the server may get it late and twice.
 */
final class SimulatedStore extends FakeStore {

	private static final Duration RESEND_AFTER = Duration.ofMillis(500);

	/**
	 * The pause after the connection of a calling thread is lost.
	 */
	private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

	private static final int MOST_ATTEMPTS = 20;

	private final SimulatedInstance instance;

	private final SimulatedServer server;

	private final SimulatedNetwork network;

	private final ReplayMemory memory;

	private final List<WakeUpSource.Listener> listeners = new ArrayList<>();

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
	protected String instance() {
		return this.instance.name();
	}

	@Override
	protected CompletableFuture<Void> register(String queue) {
		return order(() -> {
		});
	}

	@Override
	protected ReplayMemory replayMemory() {
		return this.memory;
	}

	@Override
	protected CompletableFuture<Void> openSender(String queue, String lane) {
		return order(() -> this.server.openSender(lane));
	}

	@Override
	protected CompletableFuture<SendReply> send(String queue, SendRequest request) {
		Supplier<SendReply> sending = () -> this.server.send(request);
		return WaitingCaller.take() ? requestByCaller(sending) : request(sending);
	}

	/**
	 * Makes the first attempt on the calling thread, so that the reply comes before this
	 * method returns. The others are made as those of each request.
	 */
	private <T> CompletableFuture<T> requestByCaller(Supplier<T> request) {
		T reply = this.network.call(request);
		if (reply != null) {
			return CompletableFuture.completedFuture(reply);
		}
		CompletableFuture<T> result = new CompletableFuture<>();
		this.instance.schedule(() -> attempt(request, result, 2), FIRST_PAUSE);
		return result;
	}

	@Override
	protected CompletableFuture<SenderState> checkSender(String queue, String lane) {
		return request(() -> this.server.checkSender(lane));
	}

	@Override
	protected CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		return order(() -> this.server.openLane(lane, lease, before));
	}

	@Override
	protected CompletableFuture<ResumeScript.Reply> resume(String queue, ResumeScript.Request request) {
		return request(() -> this.server.resume(request));
	}

	@Override
	protected CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		return request(() -> this.server.claim(request));
	}

	@Override
	protected CompletableFuture<RenewLaneScript.Reply> renewLane(String queue, String lane, Duration lease,
			long answered) {
		return request(() -> this.server.renewLane(lane, lease, answered) ? new RenewLaneScript.Reply(true, false)
				: RenewLaneScript.Reply.LOST);
	}

	@Override
	protected CompletableFuture<Void> closeLane(String queue, String lane) {
		return order(() -> this.server.closeLane(lane));
	}

	@Override
	protected CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		return request(Set::of);
	}

	@Override
	protected WakeUpSource.Subscription subscribe(WakeUpSource.Listener listener) {
		this.listeners.add(listener);
		return () -> this.listeners.remove(listener);
	}

}
