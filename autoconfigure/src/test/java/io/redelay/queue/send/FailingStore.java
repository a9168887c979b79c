package io.redelay.queue.send;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.SenderState;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.FakeStore;

/**
 * A store that does nothing and says so.
 */
class FailingStore extends FakeStore {

	@Override
	protected CompletableFuture<SenderState> checkSender(String queue, String lane) {
		return failed();
	}

	@Override
	protected CompletableFuture<Void> register(String queue) {
		return failed();
	}

	@Override
	protected CompletableFuture<Void> openSender(String queue, String lane) {
		return failed();
	}

	@Override
	protected CompletableFuture<SendReply> send(String queue, SendRequest request) {
		return failed();
	}

	private static <T> CompletableFuture<T> failed() {
		return CompletableFuture.failedFuture(new StoreException("there is no store", null));
	}

}
