package io.redelay.queue.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.handle.QueueOrder;

/**
 * Determines in which order the queues of a listener get handlers.
 */
record QueueOrderResolver(ListenerAttributes attributes, ListenerDefaults defaults) {

	private static final String ORDER = "queueOrder";

	private static final String WEIGHTS = "queueWeights";

	QueueOrder resolve(List<String> queues) {
		Kind kind = this.attributes.constant(ORDER, this.attributes.annotation().queueOrder(), Kind.class);
		Map<String, Integer> weights = weights(queues);
		boolean strict = kind == Kind.STRICT;
		if (strict && !weights.isEmpty()) {
			throw this.attributes.invalid(WEIGHTS, "the order of its queues is strict, which knows no shares",
					"Leave the weights out, or the queueOrder");
		}
		if (strict && queues.size() == 1) {
			throw this.attributes.invalid(ORDER, "it listens to " + queues + " only, so that there is no order",
					"Name several queues, the one that goes first at first, or leave the attribute out");
		}
		queues.stream()
			.filter((queue) -> !strict && this.defaults.weights().containsKey(queue))
			.forEach((queue) -> weights.put(queue, this.defaults.weights().get(queue)));
		return new QueueOrder(queues, strict, weights);
	}

	private Map<String, Integer> weights(List<String> queues) {
		List<String> texts = this.attributes.texts(WEIGHTS, this.attributes.annotation().queueWeights());
		Map<String, Integer> weights = new HashMap<>();
		if (!texts.isEmpty() && texts.size() != queues.size()) {
			throw this.attributes.invalid(WEIGHTS,
					"there are " + texts.size() + " for " + queues.size() + " queues: " + texts + " for " + queues,
					"Give each queue one, in the order of the queues");
		}
		for (int i = 0; i < texts.size(); i++) {
			weights.put(queues.get(i), weight(texts.get(i)));
		}
		return weights;
	}

	private int weight(String text) {
		try {
			int weight = Integer.parseInt(text);
			if (weight >= 1 && weight <= QueueOrder.LARGEST_WEIGHT) {
				return weight;
			}
		}
		catch (NumberFormatException ex) {
			// Not a number is not a weight.
		}
		throw this.attributes.invalid(WEIGHTS, "'" + text + "' is not a weight",
				"Write a number from 1 to " + QueueOrder.LARGEST_WEIGHT);
	}

	/**
	 * The values of the attribute.
	 */
	private enum Kind {

		TURNS, STRICT

	}

}
