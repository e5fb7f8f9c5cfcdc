-- rule: profile-category
-- severity: error
-- statement: The category of a failure artifact is not its profile's.
-- needs: a failure class of the profiles, and a category
-- advice: Write the category of the class's normative profile; policies branch on it.
-- when: error_events WHERE failure_class IS NOT NULL
SELECT e.run_id, e.event_id, regexp_replace(lower(e.category), '_failure$', '') <> p.category AS violated,
       e.failure_class || ' is ' || p.category || ', the artifact says ' || e.category AS message,
       json_object('failure_class', e.failure_class, 'category', e.category, 'profile', p.category) AS evidence
FROM error_events e LEFT JOIN failure_profiles p ON p.failure_class = e.failure_class
WHERE e.failure_class IS NOT NULL
