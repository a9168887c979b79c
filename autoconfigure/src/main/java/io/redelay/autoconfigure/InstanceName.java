package io.redelay.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.jspecify.annotations.Nullable;

/**
 * The default name of this instance: its host and its process.
 */
final class InstanceName {

	private InstanceName() {
	}

	static String get() {
		return host() + ":" + ProcessHandle.current().pid();
	}

	private static String host() {
		String name = first(System.getenv("HOSTNAME"), System.getenv("COMPUTERNAME"));
		if (name != null) {
			return name;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown";
		}
	}

	private static @Nullable String first(@Nullable String one, @Nullable String other) {
		return (one != null && !one.isBlank()) ? one : other;
	}

}
