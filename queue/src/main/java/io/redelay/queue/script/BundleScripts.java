package io.redelay.queue.script;

import java.util.function.Supplier;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The scripts of bundles of messages, each of which is kept in the queue that gets its
 * callback. Futures complete on threads that must not be blocked.
 *
 * @param bundle carries out commands on bundles
 * @param bundles reads bundles
 * @since 0.1.0
 */
public record BundleScripts(BundleScript bundle, BundlesScript bundles) {

	public static BundleScripts of(ScriptRunner runner, Supplier<String> wakePrefix, ReplayMemory memory) {
		return new BundleScripts(new BundleScript(runner, wakePrefix, memory), new BundlesScript(runner));
	}

}
