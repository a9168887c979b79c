package io.redelay.queue.store.redis;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.store.BundleCommand;
import io.redelay.queue.store.BundleReply;
import io.redelay.queue.store.ReplayMemory;
import io.redelay.queue.store.RequestBatchers;

/**
 * The scripts of bundles of messages, each of which is kept in the queue that gets its
 * callback. Futures complete on threads that must not be blocked.
 *
 * @since 0.1.0
 */
public final class BundleScripts {

	private final ScriptRunner runner;

	private final ReplayMemory memory;

	private final BundleScript bundle;

	private final BundlesScript bundles;

	private final BundledScript bundled;

	BundleScripts(ScriptRunner runner, Supplier<String> wakePrefix, ReplayMemory memory) {
		this.runner = runner;
		this.memory = memory;
		this.bundle = new BundleScript(runner, wakePrefix);
		this.bundles = new BundlesScript(runner);
		this.bundled = new BundledScript(runner);
	}

	public BundleScript bundle() {
		return this.bundle;
	}

	public BundlesScript bundles() {
		return this.bundles;
	}

	public BundledScript bundled() {
		return this.bundled;
	}

	/**
	 * Creates batchers of commands on bundles.
	 * @return the batchers, one for each queue
	 */
	public RequestBatchers<BundleCommand, BundleReply> batchers() {
		return new RequestBatchers<>(this.bundle::protocol, this.memory);
	}

	/**
	 * Returns the names of the queues where bundles were ever opened.
	 * @return the names
	 */
	public CompletableFuture<Set<String>> queues() {
		return new NameLists(this.runner).read("Listing the queues of bundles", NameLists.BUNDLED);
	}

}
