package io.redelay.lock.quorum;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A request to all servers at the same time, and the answer of the majority.
 */
final class QuorumVote {

	private final CompletableFuture<Result> decided = new CompletableFuture<>();

	private final CompletableFuture<Result> certain = new CompletableFuture<>();

	private Result result;

	private QuorumVote(int servers) {
		this.result = new Result(servers, 0, 0, 0, null);
	}

	/**
	 * Sends a request to all servers.
	 * @param servers the servers
	 * @param question sends the request to one
	 */
	static QuorumVote of(List<QuorumMember> servers, Function<QuorumMember, CompletableFuture<Boolean>> question) {
		QuorumVote vote = new QuorumVote(servers.size());
		for (QuorumMember server : servers) {
			question.apply(server).whenComplete(vote::count);
		}
		return vote;
	}

	/**
	 * Returns the result as soon as a majority said yes, or cannot say so any more.
	 */
	CompletableFuture<Result> decided() {
		return this.decided;
	}

	/**
	 * Returns the result as soon as no answer that is missing can change it.
	 */
	CompletableFuture<Result> certain() {
		return this.certain;
	}

	private synchronized void count(@Nullable Boolean answer, @Nullable Throwable failure) {
		Result result = this.result.with(answer, failure);
		this.result = result;
		if (result.isYes() || result.isVain()) {
			this.decided.complete(result);
		}
		if (result.isYes() || result.isNo() || result.isUnheard() || result.isComplete()) {
			this.certain.complete(result);
		}
	}

	/**
	 * The result of a vote.
	 *
	 * @param servers the number of servers
	 * @param yes how many said yes
	 * @param no how many said no
	 * @param failed how many did not answer in time
	 * @param failure why one of these did not
	 */
	record Result(int servers, int yes, int no, int failed, @Nullable Throwable failure) {

		private Result with(@Nullable Boolean answer, @Nullable Throwable failure) {
			if (answer == null) {
				return new Result(this.servers, this.yes, this.no, this.failed + 1, failure);
			}
			return new Result(this.servers, this.yes + (answer ? 1 : 0), this.no + (answer ? 0 : 1), this.failed,
					this.failure);
		}

		/**
		 * Returns whether a majority said yes.
		 */
		boolean isYes() {
			return this.yes >= majority();
		}

		/**
		 * Returns whether so many said no that the others are no majority.
		 */
		boolean isNo() {
			return this.servers - this.no < majority();
		}

		/**
		 * Returns whether so many did not answer that the others are no majority.
		 */
		boolean isUnheard() {
			return this.servers - this.failed < majority();
		}

		/**
		 * Returns whether so many said no or did not answer that the others are no
		 * majority.
		 */
		private boolean isVain() {
			return this.servers - this.no - this.failed < majority();
		}

		private boolean isComplete() {
			return this.yes + this.no + this.failed == this.servers;
		}

		private int majority() {
			return this.servers / 2 + 1;
		}

		/**
		 * Returns the failure of a vote whose result is not known.
		 */
		IllegalStateException unknown() {
			return new IllegalStateException("Of " + this.servers + " servers of the quorum " + this.failed
					+ " did not answer in time, " + this.yes + " said yes and " + this.no + " no", this.failure);
		}

	}

}
