package io.redelay.queue.admin.engine.instance;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.admin.HandlerStack;
import io.redelay.queue.failure.StackDigest;
import org.jspecify.annotations.Nullable;

/**
 * The stack of a handler's thread, as others may see it: bounded, and with the frames of
 * the application marked. These are the ones in packages that share the first two parts
 * of their name with the handler, which is the outermost one of no known framework.
 *
 * @param frames the frames that are shown, the innermost one first
 * @param omitted how many are not
 */
record HandlerFrames(List<HandlerStack.Frame> frames, int omitted) {

	private static final int MAX_FRAMES = 200;

	private static final int MAX_CHARACTERS = 16 * 1024;

	private static final int LONGEST_NAME = 300;

	/**
	 * What a frame takes in JSON beside its names.
	 */
	private static final int FRAME_CHARACTERS = 70;

	static HandlerFrames of(StackTraceElement[] stack) {
		String packages = packages(stack);
		List<HandlerStack.Frame> frames = new ArrayList<>();
		int characters = 0;
		for (StackTraceElement each : stack) {
			HandlerStack.Frame frame = frame(each, packages);
			characters += characters(frame);
			if (frames.size() == MAX_FRAMES || characters > MAX_CHARACTERS) {
				break;
			}
			frames.add(frame);
		}
		return new HandlerFrames(frames, stack.length - frames.size());
	}

	/**
	 * Returns the innermost frame of the application, or {@code null} if there is none.
	 */
	static HandlerStack.@Nullable Frame line(StackTraceElement[] stack) {
		String packages = packages(stack);
		for (StackTraceElement each : stack) {
			if (isApplication(each, packages)) {
				return frame(each, packages);
			}
		}
		return null;
	}

	/**
	 * Returns with what the names of the application's classes begin: empty if there is
	 * none of them.
	 */
	private static String packages(StackTraceElement[] stack) {
		String handler = "";
		for (StackTraceElement each : stack) {
			if (StackDigest.isContainer(each)) {
				break;
			}
			if (StackDigest.isApplication(each)) {
				handler = each.getClassName();
			}
		}
		int first = handler.indexOf('.');
		int second = handler.indexOf('.', first + 1);
		return (second > 0) ? handler.substring(0, second + 1)
				: (first > 0) ? handler.substring(0, first + 1) : handler;
	}

	private static boolean isApplication(StackTraceElement frame, String packages) {
		return !packages.isEmpty() && frame.getClassName().startsWith(packages) && !StackDigest.isContainer(frame)
				&& StackDigest.isApplication(frame);
	}

	private static HandlerStack.Frame frame(StackTraceElement frame, String packages) {
		String file = frame.getFileName();
		return new HandlerStack.Frame(cut(frame.getClassName()), cut(frame.getMethodName()),
				(file != null) ? cut(file) : null, frame.getLineNumber(), isApplication(frame, packages));
	}

	/**
	 * Returns a name, or its beginning.
	 */
	static String cut(String name) {
		return (name.length() > LONGEST_NAME) ? name.substring(0, LONGEST_NAME - 1) + "…" : name;
	}

	private static int characters(HandlerStack.Frame frame) {
		String file = frame.file();
		return FRAME_CHARACTERS + frame.type().length() + frame.method().length()
				+ ((file != null) ? file.length() : 0);
	}

}
