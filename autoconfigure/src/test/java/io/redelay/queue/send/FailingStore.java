package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.BatcherSettings;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.ClaimRequest;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.LaneRenewal;
import io.redelay.queue.store.NewMessage;
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
import io.redelay.queue.store.SendTerms;
import io.redelay.queue.store.StoreException;
import io.redelay.queue.store.WakeUpListener;
import io.redelay.queue.store.WakeUpSubscription;

/**
 * A store that does nothing and says so.
 */
class FailingStore implements DelayQueueStore {

	@Override
	public String instance() {
		return "failing";
	}

	@Override
	public String newLane() {
		return "lane";
	}

	@Override
	public ReplayMemory replayMemory() {
		return ReplayMemory.NONE;
	}

	@Override
	public CompletableFuture<ResumeReply> resume(String queue, ResumeRequest request) {
		return failed();
	}

	@Override
	public CompletableFuture<Void> register(String queue) {
		return failed();
	}

	@Override
	public RequestProtocol<NewMessage, SendReply> sends(String queue, SendTerms terms) {
		return new RequestProtocol<>(new BatcherSettings(queue, Rollback.Lane.SENDER, 1000, terms.maxWaiting()),
				NewMessage::bytes, FailingStore::failed, (lane, seq, renews, messages, attempt) -> failed(),
				(lane) -> failed());
	}

	@Override
	public CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
		return failed();
	}

	@Override
	public CompletableFuture<ClaimReply> claim(String queue, ClaimRequest request) {
		return failed();
	}

	@Override
	public CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered) {
		return failed();
	}

	@Override
	public CompletableFuture<Void> closeLane(String queue, String lane) {
		return failed();
	}

	@Override
	public CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
		return CompletableFuture.completedFuture(Set.of());
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
		return () -> {
		};
	}

	private static <T> CompletableFuture<T> failed() {
		return CompletableFuture.failedFuture(new StoreException("there is no store", null));
	}

}
