package io.redelay.benchmarks.peers.contender;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.redelay.embedded.redis.RedisServer;

/**
 * BullMQ, in a process of its own that Node runs.
 */
record BullMqContender(String name, Path folder, int concurrency) implements Contender {

	@Override
	public Session open(RedisServer server, Setup setup) {
		if (!Files.isDirectory(this.folder.resolve("node_modules/bullmq"))) {
			throw new NotOfferedException("BullMQ is not installed: npm ci in " + this.folder);
		}
		try {
			Process process = new ProcessBuilder("node", "session.mjs", Integer.toString(server.port()),
					Integer.toString(this.concurrency), Integer.toString(setup.queues()))
				.directory(this.folder.toFile())
				.redirectError(ProcessBuilder.Redirect.INHERIT)
				.start();
			return new BullMqSession(process, server);
		}
		catch (IOException ex) {
			throw new NotOfferedException("Node cannot be started: " + ex.getMessage());
		}
	}

}
