package io.redelay.queue.admin;

import java.util.List;

/**
 * The handlers that work on messages, as their instances say when they are asked.
 *
 * @param handlers the handlers, the one that was called first before the others
 * @param omitted how many others there are: an instance names the 200 that have worked
 * for longest
 * @param answered the names in the store of the instances that answered
 * @param silent the instances that did not answer in time: they have ended, do not reach
 * Redis, are busy with other questions, or have a version that knows no questions; or all
 * of them if this program only reads, as the console does, and so asks none
 * @since 0.1.0
 */
public record RunningHandlers(List<RunningHandler> handlers, int omitted, List<String> answered,
		List<InstanceInfo> silent) {

	/**
	 * Copies the lists.
	 */
	public RunningHandlers {
		handlers = List.copyOf(handlers);
		answered = List.copyOf(answered);
		silent = List.copyOf(silent);
	}

}
