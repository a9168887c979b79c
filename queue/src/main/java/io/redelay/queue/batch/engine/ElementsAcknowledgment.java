package io.redelay.queue.batch.engine;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Map;
import java.util.stream.IntStream;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.handle.BatchSettlement;

/**
 * Settles the deliveries for which the elements of a list stand.
 */
public final class ElementsAcknowledgment extends ListAcknowledgment implements BatchAcknowledgment {

	private final BatchElements elements;

	/**
	 * The elements of an aggregate that are acknowledged.
	 */
	private final BitSet acknowledged = new BitSet();

	public ElementsAcknowledgment(BatchElements elements) {
		super(elements.deliveries());
		this.elements = elements;
	}

	@Override
	public int size() {
		return this.elements.size();
	}

	@Override
	public Acknowledgment at(int position) {
		return settling(IntStream.of(position));
	}

	@Override
	public Acknowledgment of(Object element) {
		return settling(IntStream.of(this.elements.positionOf(element)));
	}

	@Override
	public Acknowledgment allAt(int... positions) {
		return settling(Arrays.stream(positions));
	}

	@Override
	public Acknowledgment allOf(Collection<?> wanted) {
		return settling(wanted.stream().mapToInt(this.elements::positionOf));
	}

	private Acknowledgment settling(IntStream wanted) {
		int[] positions = wanted.map(this.elements::checked).distinct().toArray();
		if (this.elements.isAggregate() && positions.length > 0) {
			return new Gathered(positions);
		}
		return new ListAcknowledgment(Arrays.stream(positions).mapToObj(deliveries()::get).toList());
	}

	@Override
	public void settle(BatchResult result) {
		Map<Integer, Throwable> failures = this.elements.failures(result);
		BatchSettlement.settle(deliveries(), failures::get);
	}

	/**
	 * Settles elements that gathered in one delivery with others.
	 */
	private final class Gathered extends ListAcknowledgment {

		private final int[] positions;

		Gathered(int[] positions) {
			super(ElementsAcknowledgment.this.deliveries());
			this.positions = positions;
		}

		@Override
		public void acknowledge() {
			BitSet done = ElementsAcknowledgment.this.acknowledged;
			boolean complete;
			synchronized (done) {
				Arrays.stream(this.positions).forEach(done::set);
				complete = done.cardinality() == size();
			}
			if (complete) {
				super.acknowledge();
			}
		}

	}

}
