package io.redelay.queue.admin;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Where the code of a handler is at a moment. It names classes, methods and lines, and no
 * values.
 *
 * @param queue the queue
 * @param id the id of the message
 * @param uid the uid of the message
 * @param claim the number of its claim
 * @param instance the name of the instance in the store
 * @param instanceName the display name of the instance
 * @param state what the handler does
 * @param thread the name of the thread that works on the message; {@code null} if none
 * does
 * @param threadState the state of that thread
 * @param awaited the class of what the handler returned, if its completion is awaited
 * @param frames the frames, the innermost one first: at most 200, and some 16 kB
 * @param omitted how many frames are left out at the end
 * @since 0.1.0
 */
public record HandlerStack(String queue, String id, String uid, long claim, String instance, String instanceName,
		RunningHandler.State state, @Nullable String thread, Thread.@Nullable State threadState,
		@Nullable String awaited, List<Frame> frames, int omitted) {

	/**
	 * Copies the frames.
	 */
	public HandlerStack {
		Objects.requireNonNull(queue, "queue");
		Objects.requireNonNull(id, "id");
		Objects.requireNonNull(uid, "uid");
		Objects.requireNonNull(instance, "instance");
		Objects.requireNonNull(instanceName, "instanceName");
		Objects.requireNonNull(state, "state");
		frames = List.copyOf(frames);
	}

	/**
	 * A call on a stack.
	 *
	 * @param type the class
	 * @param method the method
	 * @param file the source file, if it is known
	 * @param line the line there; negative if it is not known
	 * @param application whether it is in the packages of the handler: those that share
	 * the first two parts of its name
	 */
	public record Frame(String type, String method, @Nullable String file, int line, boolean application) {

		/**
		 * Refuses what is no call.
		 */
		public Frame {
			Objects.requireNonNull(type, "type");
			Objects.requireNonNull(method, "method");
		}

	}

}
