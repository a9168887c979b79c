package io.redelay;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/**
 * Bounds how many classes of one package depend on each other in a cycle. A nested class
 * counts as part of the one that it is nested in.
 */
final class SmallCycles extends ArchCondition<JavaClass> {

	private final int most;

	private final Map<String, Set<String>> dependencies = new TreeMap<>();

	private final Map<String, JavaClass> types = new HashMap<>();

	SmallCycles(int most) {
		super("not be in a cycle of more than " + most + " classes of its package");
		this.most = most;
	}

	@Override
	public void init(Collection<JavaClass> all) {
		for (JavaClass type : all) {
			JavaClass outer = outermost(type);
			this.types.put(outer.getName(), outer);
			Set<String> names = this.dependencies.computeIfAbsent(outer.getName(), (name) -> new TreeSet<>());
			type.getDirectDependenciesFromSelf()
				.stream()
				.map((dependency) -> outermost(dependency.getTargetClass()))
				.filter((target) -> target.getPackageName().equals(outer.getPackageName()) && !target.equals(outer))
				.forEach((target) -> names.add(target.getName()));
		}
	}

	private static JavaClass outermost(JavaClass type) {
		JavaClass outer = type.getBaseComponentType();
		while (outer.getEnclosingClass().isPresent()) {
			outer = outer.getEnclosingClass().get();
		}
		return outer;
	}

	@Override
	public void check(JavaClass type, ConditionEvents events) {
		// A cycle is of several classes, and is reported once.
	}

	@Override
	public void finish(ConditionEvents events) {
		for (Set<String> cycle : cycles()) {
			JavaClass first = this.types.get(cycle.iterator().next());
			if (cycle.size() > this.most) {
				events.add(SimpleConditionEvent.violated(first,
						"%d classes of %s depend on each other: %s".formatted(cycle.size(), first.getPackageName(),
								cycle.stream()
									.map((name) -> this.types.get(name).getSimpleName())
									.collect(Collectors.joining(", ")))));
			}
		}
	}

	/**
	 * The largest sets of classes each of which can be reached from each other one, by
	 * the algorithm of Kosaraju.
	 */
	private List<Set<String>> cycles() {
		Map<String, Set<String>> dependents = new TreeMap<>();
		this.dependencies.forEach((from, targets) -> targets
			.forEach((to) -> dependents.computeIfAbsent(to, (name) -> new TreeSet<>()).add(from)));
		Set<String> seen = new TreeSet<>();
		Deque<String> finished = new ArrayDeque<>();
		this.dependencies.keySet().forEach((name) -> finish(name, seen, finished));
		List<Set<String>> cycles = new ArrayList<>();
		Set<String> assigned = new TreeSet<>();
		for (String root : finished) {
			Set<String> cycle = new TreeSet<>();
			Deque<String> open = new ArrayDeque<>(List.of(root));
			while (!open.isEmpty()) {
				String name = open.pop();
				if (assigned.add(name)) {
					cycle.add(name);
					open.addAll(dependents.getOrDefault(name, Set.of()));
				}
			}
			if (!cycle.isEmpty()) {
				cycles.add(cycle);
			}
		}
		return cycles;
	}

	/**
	 * Puts a class in front of all that can be reached from it.
	 */
	private void finish(String name, Set<String> seen, Deque<String> finished) {
		if (seen.add(name)) {
			this.dependencies.getOrDefault(name, Set.of()).forEach((target) -> finish(target, seen, finished));
			finished.push(name);
		}
	}

}
